-- Every task once, with its arm and newest status; candidate when none was written. grain: one task; keys: task_id
SELECT
    t.*,
    t.family || '/' || t.level || '/' || t.source AS arm,
    coalesce(s.status, 'candidate') AS status,
    s.reason AS status_reason
FROM tasks AS t
SEMI JOIN (SELECT max(rowid) AS newest FROM tasks GROUP BY task_id) AS n ON n.newest = t.rowid
LEFT JOIN current_status AS s ON s.task_id = t.task_id;
