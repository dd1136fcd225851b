-- The newest status of each task. grain: one task; keys: task_id
SELECT task_id, status, reason, run_id, batch_id, written_at
FROM (SELECT *, row_number() OVER (PARTITION BY task_id ORDER BY rowid DESC) AS nth FROM task_status)
WHERE nth = 1;
