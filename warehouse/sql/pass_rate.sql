-- Pass rate by family, level and policy. grain: family x level x policy; keys: family, level, policy_id
SELECT
    t.family, t.level, r.policy_id,
    count(*) AS n_tasks,
    sum(r.n)::BIGINT AS n,
    sum(r.c)::BIGINT AS c,
    sum(r.c) / nullif(sum(r.n), 0) AS pass_rate
FROM pass_rate AS r
INNER JOIN (SELECT task_id, any_value(family) AS family, any_value(level) AS level FROM tasks GROUP BY task_id) AS t USING (task_id)
GROUP BY t.family, t.level, r.policy_id
ORDER BY t.family, t.level, r.policy_id;
