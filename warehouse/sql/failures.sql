-- Why rollouts failed, with one of each to replay. grain: family x stage x purpose x cause; keys: family, stage_id, purpose, cause
-- param stage = all: stage_id, or all
-- param limit = 200: rows at most
SELECT
    t.family, r.stage_id, r.purpose,
    coalesce(r.cause, lower(r.judgement)) AS cause,
    count(*) AS n,
    count(*) / sum(count(*)) OVER (PARTITION BY t.family, r.stage_id, r.purpose) AS share_of_failures,
    count(DISTINCT r.task_id) AS n_tasks,
    min(r.rollout_id) AS example
FROM rollouts AS r
INNER JOIN (SELECT task_id, any_value(family) AS family FROM tasks GROUP BY task_id) AS t USING (task_id)
WHERE r.judgement <> 'PASS' AND ($stage = 'all' OR r.stage_id = $stage)
GROUP BY t.family, r.stage_id, r.purpose, coalesce(r.cause, lower(r.judgement))
ORDER BY n DESC, t.family, r.stage_id, r.purpose, cause
LIMIT $limit::BIGINT;
