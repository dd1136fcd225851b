-- From a gradient step back to its tasks: who made each, what admitted it, why it was drawn, what came of it.
-- grain: one draw; keys: stage_id, stage_attempt, step, slot
WITH made AS (
    SELECT
        task_id,
        max_by(generator, rowid) AS generator,
        max_by(generator_version, rowid) AS generator_version,
        max_by(generator_lineage, rowid) AS generator_lineage,
        sum(cost) AS generation_cost
    FROM attempts SEMI JOIN draws USING (task_id)
    WHERE outcome = 'admitted'
    GROUP BY task_id
),
evidence AS (
    SELECT
        task_id,
        list("check" || ':' || outcome || ' by ' || verifier ORDER BY "check") AS verdicts,
        sum(cost) AS verification_cost
    FROM verdicts SEMI JOIN draws USING (task_id)
    GROUP BY task_id
),
grouped AS (
    SELECT
        stage_id, stage_attempt, step, slot, task_id,
        count(*) AS n_rollouts,
        count(*) FILTER (judgement = 'PASS') AS n_passes,
        sum(n_tokens)::BIGINT AS n_tokens
    FROM rollouts
    WHERE purpose = 'train'
    GROUP BY stage_id, stage_attempt, step, slot, task_id
)
SELECT
    d.stage_id, d.stage_attempt, d.step, d.slot, d.task_id,
    s.campaign_id, s.policy_in, s.policy_out, s.mixture_id, s.snapshot_id AS pinned_snapshot,
    d.reason, d.p_mixed, d.score,
    m.generator, m.generator_version, m.generator_lineage,
    e.verdicts,
    g.n_rollouts, g.n_passes, g.n_tokens,
    coalesce(m.generation_cost, 0) + coalesce(e.verification_cost, 0) AS cost
FROM draws AS d
LEFT JOIN current_stages AS s USING (stage_id)
LEFT JOIN made AS m USING (task_id)
LEFT JOIN evidence AS e USING (task_id)
LEFT JOIN grouped AS g USING (stage_id, stage_attempt, step, slot, task_id);
