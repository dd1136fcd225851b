-- Decided rollouts and passes of every group that a policy and its ancestors sampled, oldest first. grain: owner x attempt x step x slot; keys: purpose, stage_id, stage_attempt, step, slot, task_id
-- param policy = newest: a policy_id, or newest
WITH RECURSIVE line AS (
    SELECT policy_id, parent
    FROM current_policies
    WHERE policy_id = CASE WHEN $policy = 'newest' THEN (SELECT max_by(policy_id, nth) FROM current_policies) ELSE $policy END
    UNION
    SELECT p.policy_id, p.parent FROM current_policies AS p INNER JOIN line AS l ON p.policy_id = l.parent
),
kept AS (
    SELECT purpose, stage_id, stage_attempt, step, slot, task_id, judgement, cheats, rowid AS place
    FROM rollouts SEMI JOIN line USING (policy_id)
    WHERE purpose IN ('train', 'probe')
),
last_tries AS (
    SELECT stage_id, step, max(stage_attempt) AS stage_attempt FROM kept GROUP BY stage_id, step
),
grouped AS (
    SELECT
        purpose, stage_id, stage_attempt, step, slot, task_id,
        count(*) FILTER (judgement NOT IN ('INFRA', 'UNDECIDED') AND cheats = '[]') AS n,
        count(*) FILTER (judgement = 'PASS' AND cheats = '[]') AS c,
        min(place) AS place
    FROM kept AS k
    SEMI JOIN last_tries AS l
        ON l.stage_id IS NOT DISTINCT FROM k.stage_id AND l.step IS NOT DISTINCT FROM k.step AND l.stage_attempt = k.stage_attempt
    GROUP BY ALL
)
SELECT
    g.purpose, g.stage_id, g.stage_attempt, g.step, g.slot, g.task_id, g.n, g.c,
    coalesce(d.reason, 'probe') AS reason,
    min(g.place) OVER (PARTITION BY g.purpose, g.stage_id, g.stage_attempt, g.step) AS moment
FROM grouped AS g
LEFT JOIN (SELECT DISTINCT stage_id, stage_attempt, step, slot, reason FROM draws) AS d USING (stage_id, stage_attempt, step, slot)
ORDER BY moment, g.slot;
