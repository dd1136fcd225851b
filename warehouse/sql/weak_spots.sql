-- Where a policy fails most, for the synthesis flow. grain: family x level; keys: family, level
-- param policy = newest: a policy_id, or newest
-- param min_n = 8: decided rollouts needed
SELECT
    t.family, t.level,
    count(*) AS n_tasks,
    sum(r.n)::BIGINT AS n,
    sum(r.c)::BIGINT AS c,
    (sum(r.c) + 0.5) / (sum(r.n) + 1) AS pass_rate,
    count(*) FILTER (r.c > 0 AND r.c < r.n) / count(*) AS mixed_rate,
    count(*) FILTER (r.c = 0) AS n_unsolved
FROM pass_rate AS r
INNER JOIN (SELECT task_id, any_value(family) AS family, any_value(level) AS level FROM tasks GROUP BY task_id) AS t USING (task_id)
WHERE r.policy_id = CASE WHEN $policy = 'newest' THEN (SELECT max_by(policy_id, nth) FROM current_policies) ELSE $policy END
    AND r.n > 0
GROUP BY t.family, t.level
HAVING sum(r.n) >= $min_n::BIGINT
ORDER BY pass_rate, t.family, t.level;
