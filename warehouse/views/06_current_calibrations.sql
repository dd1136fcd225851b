-- The newest measurement of each task under each policy. grain: task x policy; keys: task_id, policy_id
SELECT c.*
FROM calibrations AS c
SEMI JOIN (SELECT max(rowid) AS newest FROM calibrations GROUP BY task_id, policy_id) AS n ON n.newest = c.rowid;
