-- The newest status of each task. grain: one task; keys: task_id
SELECT
    task_id,
    max_by(status, rowid) AS status,
    max_by(reason, rowid) AS reason,
    max_by(run_id, rowid) AS run_id,
    max_by(written_at, rowid) AS written_at
FROM task_status
GROUP BY task_id;
