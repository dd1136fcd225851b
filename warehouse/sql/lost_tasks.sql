-- Tasks that a checkpoint solved at least once and a later one never. grain: one task; keys: task_id
-- param before: policy_id of the earlier checkpoint
-- param after = newest: policy_id of the later one, or newest
WITH chosen AS (
    SELECT CASE WHEN $after = 'newest' THEN (SELECT max_by(policy_id, nth) FROM current_policies) ELSE $after END AS after
)
SELECT
    b.task_id, t.family, t.level,
    b.n AS n_before, b.c AS c_before, a.n AS n_after, a.c AS c_after,
    b.pass_rate AS pass_rate_before
FROM pass_rate AS b
INNER JOIN pass_rate AS a ON a.task_id = b.task_id
INNER JOIN (SELECT task_id, any_value(family) AS family, any_value(level) AS level FROM tasks GROUP BY task_id) AS t
    ON t.task_id = b.task_id
WHERE b.policy_id = $before AND a.policy_id = (SELECT after FROM chosen) AND b.c > 0 AND a.c = 0 AND a.n > 0
ORDER BY b.pass_rate DESC, b.task_id;
