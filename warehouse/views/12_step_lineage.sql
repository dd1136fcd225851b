-- From a gradient step back to its tasks: who made each, what admitted it, why it was drawn, what came of it.
-- grain: one draw; keys: stage_id, stage_attempt, step, slot
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
-- Laterals, so that a query of one stage or step reads no other's rows.
LEFT JOIN LATERAL (
    SELECT
        max_by(a.generator, a.rowid) AS generator,
        max_by(a.generator_version, a.rowid) AS generator_version,
        max_by(a.generator_lineage, a.rowid) AS generator_lineage,
        sum(a.cost) AS generation_cost
    FROM attempts AS a
    WHERE a.task_id = d.task_id AND a.outcome = 'admitted'
) AS m ON true
LEFT JOIN LATERAL (
    SELECT
        list(v."check" || ':' || v.outcome || ' by ' || v.verifier ORDER BY v."check") AS verdicts,
        sum(v.cost) AS verification_cost
    FROM verdicts AS v
    WHERE v.task_id = d.task_id
) AS e ON true
LEFT JOIN LATERAL (
    SELECT
        nullif(count(*), 0) AS n_rollouts,
        CASE WHEN count(*) > 0 THEN count(*) FILTER (r.judgement = 'PASS') END AS n_passes,
        sum(r.n_tokens)::BIGINT AS n_tokens
    FROM rollouts AS r
    WHERE r.purpose = 'train' AND r.stage_id = d.stage_id AND r.stage_attempt = d.stage_attempt
        AND r.step = d.step AND r.slot = d.slot AND r.task_id = d.task_id
) AS g ON true;
