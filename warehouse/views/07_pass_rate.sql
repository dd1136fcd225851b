-- Decided rollouts and passes of each task under each policy. grain: task x policy; keys: task_id, policy_id
SELECT
    task_id,
    policy_id,
    count(*) FILTER (judgement NOT IN ('INFRA', 'UNDECIDED')) AS n,
    count(*) FILTER (judgement = 'PASS') AS c,
    count(*) FILTER (judgement = 'PASS')
    / nullif(count(*) FILTER (judgement NOT IN ('INFRA', 'UNDECIDED')), 0) AS pass_rate,
    count(*) FILTER (judgement IN ('INFRA', 'UNDECIDED')) AS n_undecided
FROM rollouts
GROUP BY task_id, policy_id;
