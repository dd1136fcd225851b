-- Decided rollouts and passes of two policies on each task that both were evaluated on, each under one protocol. grain: one task; keys: task_id
-- param policy_a: the first policy
-- param policy_b: the second policy
-- param protocol_a = shared: protocol of the first; shared is the newest under which both were evaluated
-- param protocol_b = shared: protocol of the second
-- Rollouts stored before they named a protocol count under every one.
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
tried AS (
    SELECT
        task_id,
        sum(n) FILTER (in_a)::BIGINT AS n_a,
        sum(c) FILTER (in_a)::BIGINT AS c_a,
        sum(n) FILTER (in_b)::BIGINT AS n_b,
        sum(c) FILTER (in_b)::BIGINT AS c_b
    FROM (
        SELECT
            e.task_id, e.n, e.c,
            e.policy_id = $policy_a AND coalesce(e.protocol_hash = w.protocol_a, e.protocol_hash IS NULL) AS in_a,
            e.policy_id = $policy_b AND coalesce(e.protocol_hash = w.protocol_b, e.protocol_hash IS NULL) AS in_b
        FROM eval_tries AS e, chosen AS w
        WHERE e.policy_id IN ($policy_a, $policy_b)
    )
    GROUP BY task_id
    HAVING n_a IS NOT NULL AND n_b IS NOT NULL
)
SELECT t.task_id, k.family, k.arm, t.n_a, t.c_a, t.n_b, t.c_b
FROM tried AS t
INNER JOIN (
    SELECT task_id, any_value(family) AS family, any_value(family || '/' || level || '/' || source) AS arm
    FROM tasks
    GROUP BY task_id
) AS k ON k.task_id = t.task_id
ORDER BY t.task_id;
