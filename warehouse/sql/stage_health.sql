-- How healthy the training rollouts of each stage were: shares of groups without gradient, of cut, repeated and unjudged completions. grain: one stage; keys: stage_id
-- param stage = %: stage_id, as a LIKE pattern
WITH kept AS (
    SELECT *
    FROM rollouts
    WHERE purpose = 'train' AND stage_id LIKE $stage
    QUALIFY stage_attempt = max(stage_attempt) OVER (PARTITION BY stage_id, step)
),
sampled AS (
    SELECT
        stage_id,
        count(*) AS n_rollouts,
        avg((finish_reason = 'length')::INT) AS truncated_rate,
        avg((judgement IN ('INFRA', 'UNDECIDED'))::INT) AS infra_rate,
        avg((cheats <> '[]')::INT) AS cheat_rate,
        avg(reward) AS reward,
        avg(n_tokens) AS n_tokens,
        quantile_cont(latency_s, 0.95) AS latency_p95_s
    FROM kept
    GROUP BY stage_id
),
grouped AS (
    SELECT
        stage_id,
        count(*) FILTER (judgement NOT IN ('INFRA', 'UNDECIDED') AND cheats = '[]') AS n,
        count(*) FILTER (judgement = 'PASS' AND cheats = '[]') AS c,
        greatest(count(*) FILTER (reward = 0) - 1, 0) AS n_could_repeat,
        count(*) FILTER (reward = 0) - count(DISTINCT completion) FILTER (reward = 0) AS n_repeat
    FROM kept
    GROUP BY stage_id, step, slot
),
shares AS (
    SELECT
        stage_id,
        count(*) FILTER (n >= 2) AS n_groups,
        avg((c = n)::INT) FILTER (n >= 2) AS all_right,
        avg((c = 0)::INT) FILTER (n >= 2) AS all_wrong,
        sum(n_repeat) / nullif(sum(n_could_repeat), 0) AS duplicate_rate
    FROM grouped
    GROUP BY stage_id
)
SELECT s.*, g.n_groups, g.all_right, g.all_wrong, g.duplicate_rate
FROM sampled AS s
INNER JOIN shares AS g USING (stage_id)
ORDER BY s.stage_id;
