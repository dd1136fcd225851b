-- How agents did on tasks with turns: solve rate, what they used, what went wrong. grain: family x level x policy x purpose; keys: family, level, policy_id, purpose
-- param policy = all: a policy_id, or all
WITH played AS (
    SELECT
        t.family, t.level, r.policy_id, r.purpose, r.judgement, r.cheats, r.cause, r.n_tokens, r.latency_s,
        json_array_length(r.turns) - 1 AS n_turns,
        len(list_filter(CAST(json_extract(r.turns, '$[*].error') AS VARCHAR []), x -> x = '"refused"')) AS n_refused
    FROM rollouts AS r
    INNER JOIN (SELECT DISTINCT task_id, family, level FROM tasks WHERE domain = 'agent') AS t USING (task_id)
    WHERE $policy = 'all' OR r.policy_id = $policy
)
SELECT
    family, level, policy_id, purpose,
    count(*) FILTER (judgement NOT IN ('INFRA', 'UNDECIDED')) AS n,
    count(*) FILTER (judgement = 'PASS') AS n_solved,
    n_solved / nullif(n, 0) AS solve_rate,
    count(*) FILTER (cheats <> '[]') / nullif(n, 0) AS cheat_rate,
    count(*) FILTER (cheats LIKE '%never:%' OR cheats LIKE '%must_use:%') / nullif(n, 0) AS violation_rate,
    count(*) FILTER (cause LIKE 'budget:%') / nullif(n, 0) AS out_of_budget_rate,
    avg(n_turns) AS mean_turns,
    sum(n_refused) / nullif(sum(n_turns), 0) AS refused_rate,
    count(*) FILTER (n_refused > 0 AND judgement = 'PASS') / nullif(count(*) FILTER (n_refused > 0), 0) AS recovery_rate,
    avg(n_tokens) AS mean_tokens,
    quantile_cont(latency_s, 0.5) AS p50_latency_s,
    quantile_cont(latency_s, 0.95) AS p95_latency_s,
    count(*) FILTER (judgement IN ('INFRA', 'UNDECIDED')) AS n_masked
FROM played
GROUP BY ALL
ORDER BY family, level, policy_id, purpose;
