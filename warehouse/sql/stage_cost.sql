-- What each stage cost and gave. grain: one stage; keys: stage_id
WITH spent AS (
    SELECT stage_id, count(*) AS n_stored_rollouts, sum(n_tokens)::BIGINT AS n_tokens
    FROM rollouts
    WHERE stage_id IS NOT NULL
    GROUP BY stage_id
),
scored AS (
    SELECT policy_id, max_by(value, rowid) AS pass_at_1
    FROM evals
    WHERE metric = 'pass@1' AND "group" = 'all'
    GROUP BY policy_id
)
SELECT
    s.campaign_id, s.stage_index, s.stage_id, s.kind, s.status, s.policy_in, s.policy_out, s.n_steps, s.n_rollouts,
    p.n_stored_rollouts, p.n_tokens, s.duration_s,
    s.duration_s / nullif(s.n_rollouts, 0) AS s_per_rollout,
    b.pass_at_1 AS pass_at_1_before,
    a.pass_at_1 AS pass_at_1_after,
    s.reason
FROM current_stages AS s
LEFT JOIN spent AS p USING (stage_id)
LEFT JOIN scored AS b ON b.policy_id = s.policy_in
LEFT JOIN scored AS a ON a.policy_id = s.policy_out
ORDER BY s.campaign_id, s.stage_index;
