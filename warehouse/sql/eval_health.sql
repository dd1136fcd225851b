-- How healthy the evaluation rollouts of each policy were: shares of cut and unjudged completions, length and latency. grain: one policy; keys: policy_id
-- param policy = %: policy_id, as a LIKE pattern
SELECT
    policy_id,
    count(*) AS n_rollouts,
    avg((finish_reason = 'length')::INT) AS truncated_rate,
    avg((judgement IN ('INFRA', 'UNDECIDED'))::INT) AS infra_rate,
    avg((cheats <> '[]')::INT) AS cheat_rate,
    avg(n_tokens) AS n_tokens,
    quantile_cont(latency_s, 0.95) AS latency_p95_s
FROM (
    SELECT r.* FROM rollouts AS r
    SEMI JOIN (SELECT max(rowid) AS newest FROM rollouts WHERE purpose = 'eval' GROUP BY rollout_id) AS k
        ON k.newest = r.rowid
)
WHERE policy_id LIKE $policy
GROUP BY policy_id
ORDER BY policy_id;
