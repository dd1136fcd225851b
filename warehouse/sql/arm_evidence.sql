-- What is known of every task of a policy: its newest calibration, and evaluation rollouts of tasks that are not trained on. grain: task; keys: task_id
-- param policy: policy_id
SELECT c.task_id, c.arm, c.n, c.c
FROM current_calibrations AS c
WHERE c.policy_id = $policy
UNION ALL
SELECT r.task_id, t.family || '/' || t.level || '/' || t.source AS arm, r.n, r.c
FROM pass_rate AS r
INNER JOIN (
    SELECT task_id, any_value(family) AS family, any_value(level) AS level, any_value(source) AS source FROM tasks GROUP BY task_id
) AS t USING (task_id)
ANTI JOIN (SELECT task_id FROM current_calibrations WHERE policy_id = $policy) AS k ON k.task_id = r.task_id
WHERE r.policy_id = $policy AND r.n > 0
ORDER BY arm, task_id;
