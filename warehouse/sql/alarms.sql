-- Every alarm with what was done about it and the effect. grain: alarm x action; keys: alarm_id, action_id
SELECT
    a.alarm_id, a.owner, a.step, a.detector, a.detector_version, a.level, a.inputs,
    c.action_id, c.action, c.applied, c.before, c.after, c.effect
FROM (SELECT * FROM alarms SEMI JOIN (SELECT max(rowid) AS newest FROM alarms GROUP BY alarm_id) AS n ON newest = rowid) AS a
LEFT JOIN (SELECT * FROM actions SEMI JOIN (SELECT max(rowid) AS newest FROM actions GROUP BY action_id) AS m ON newest = rowid) AS c
    USING (alarm_id)
ORDER BY a.owner, a.step, a.alarm_id;
