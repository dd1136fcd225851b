-- Every task once, with its newest status (candidate when none was written). grain: one task; keys: task_id
SELECT t.* EXCLUDE (nth),
    t.family || '/' || t.level || '/' || t.source AS arm,
    coalesce(s.status, 'candidate') AS status,
    s.reason AS status_reason
FROM (SELECT *, row_number() OVER (PARTITION BY task_id ORDER BY rowid DESC) AS nth FROM tasks) t
LEFT JOIN current_status s USING (task_id)
WHERE t.nth = 1;
