-- A checkpoint and its ancestors, with the stage and the plan that made each. grain: one checkpoint; keys: policy_id
-- param policy = newest: a policy_id, or newest
WITH RECURSIVE line AS (
    SELECT policy_id, parent, stage_id, name, 0 AS generations_back
    FROM current_policies
    WHERE policy_id = CASE WHEN $policy = 'newest' THEN (SELECT max_by(policy_id, nth) FROM current_policies) ELSE $policy END
    UNION
    SELECT p.policy_id, p.parent, p.stage_id, p.name, l.generations_back + 1
    FROM current_policies AS p
    INNER JOIN line AS l ON p.policy_id = l.parent
    WHERE l.generations_back < 10000
),
fed AS (
    SELECT stage_id, count(DISTINCT task_id) AS n_tasks, count(*) AS n_draws FROM draws GROUP BY stage_id
)
SELECT
    l.generations_back, l.policy_id, l.name, l.parent, l.stage_id,
    s.campaign_id, s.stage_index, s.mixture_id, s.snapshot_id, s.n_steps, f.n_tasks, f.n_draws
FROM line AS l
LEFT JOIN current_stages AS s USING (stage_id)
LEFT JOIN fed AS f USING (stage_id)
ORDER BY l.generations_back;
