-- Decided rollouts and passes of two policies on each task that both were evaluated on, each under one protocol. grain: one task; keys: task_id
-- param policy_a: the first policy
-- param policy_b: the second policy
-- param protocol_a = shared: protocol of the first; shared is the newest under which both were evaluated
-- param protocol_b = shared: protocol of the second
-- Rollouts stored before they named a protocol count under every one. A sample counts once, as in eval_tries.
WITH shared AS (
    SELECT max_by(protocol_hash, place) AS protocol
    FROM (
        SELECT protocol_hash, max(rowid) AS place
        FROM evals
        WHERE policy_id IN ($policy_a, $policy_b)
        GROUP BY protocol_hash
        HAVING bool_or(policy_id = $policy_a) AND bool_or(policy_id = $policy_b)
    )
),
chosen AS (
    SELECT
        CASE WHEN $protocol_a = 'shared' THEN protocol ELSE $protocol_a END AS protocol_a,
        CASE WHEN $protocol_b = 'shared' THEN protocol ELSE $protocol_b END AS protocol_b
    FROM shared
),
evaluated AS NOT MATERIALIZED (
    SELECT
        r.task_id, r.sample,
        r.protocol_hash IS NULL AS unnamed,
        r.policy_id = $policy_a AND coalesce(r.protocol_hash = w.protocol_a, r.protocol_hash IS NULL) AS in_a,
        r.policy_id = $policy_b AND coalesce(r.protocol_hash = w.protocol_b, r.protocol_hash IS NULL) AS in_b,
        r.judgement NOT IN ('INFRA', 'UNDECIDED') AS decided,
        r.judgement = 'PASS' AS passed
    FROM rollouts AS r, chosen AS w
    WHERE r.purpose = 'eval' AND r.policy_id IN ($policy_a, $policy_b)
),
near AS (
    SELECT
        task_id,
        bool_or(in_a) AND bool_or(in_b) AS in_both,
        coalesce(bit_count(bit_or(place) FILTER (in_a AND decided)), 0) AS n_a,
        coalesce(bit_count(bit_or(place) FILTER (in_a AND passed)), 0) AS c_a,
        coalesce(bit_count(bit_or(place) FILTER (in_b AND decided)), 0) AS n_b,
        coalesce(bit_count(bit_or(place) FILTER (in_b AND passed)), 0) AS c_b
    FROM (
        SELECT *, CASE WHEN sample < 60 THEN 1::HUGEINT << (sample::INT + if(unnamed, 60, 0)) ELSE 0::HUGEINT END AS place
        FROM evaluated
        WHERE in_a OR in_b
    )
    GROUP BY task_id
),
far AS (
    SELECT
        task_id,
        count(DISTINCT (sample, unnamed)) FILTER (in_a AND decided) AS n_a,
        count(DISTINCT (sample, unnamed)) FILTER (in_a AND passed) AS c_a,
        count(DISTINCT (sample, unnamed)) FILTER (in_b AND decided) AS n_b,
        count(DISTINCT (sample, unnamed)) FILTER (in_b AND passed) AS c_b
    FROM evaluated
    WHERE sample >= 60
    GROUP BY task_id
)
SELECT
    t.task_id, k.family, k.arm,
    t.n_a + coalesce(f.n_a, 0) AS n_a, t.c_a + coalesce(f.c_a, 0) AS c_a,
    t.n_b + coalesce(f.n_b, 0) AS n_b, t.c_b + coalesce(f.c_b, 0) AS c_b
FROM near AS t
LEFT JOIN far AS f USING (task_id)
INNER JOIN (
    SELECT task_id, any_value(family) AS family, any_value(family || '/' || level || '/' || source) AS arm
    FROM tasks
    GROUP BY task_id
) AS k ON k.task_id = t.task_id
WHERE t.in_both
ORDER BY t.task_id;
