-- Tasks whose groups most likely carry gradient for a policy. grain: one task; keys: task_id
-- param policy = newest: a policy_id, or newest of those that were calibrated
-- param limit = 100: rows at most
SELECT t.task_id, t.family, t.level, t.arm, c.n, c.c, c.mean, c.low, c.high, c.p_mixed, c.variance, c.bucket
FROM current_calibrations AS c
INNER JOIN current_tasks AS t ON t.task_id = c.task_id
WHERE c.policy_id = CASE WHEN $policy = 'newest' THEN (SELECT max_by(policy_id, rowid) FROM calibrations) ELSE $policy END
    AND t.status = 'accepted' AND t.split = 'train'
ORDER BY c.p_mixed DESC, t.task_id
LIMIT $limit::BIGINT;
