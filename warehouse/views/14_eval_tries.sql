-- Decided rollouts and passes of each evaluation on each task; a sample counts once, also where two campaigns drew it.
-- grain: task x policy x protocol; keys: task_id, policy_id, protocol_hash
-- Samples are bits, which is ten times faster than counting them as distinct; those past the width are counted so.
SELECT
    task_id,
    policy_id,
    protocol_hash,
    coalesce(bit_count(bit_or(place) FILTER (decided)), 0) + count(DISTINCT sample) FILTER (far AND decided) AS n,
    coalesce(bit_count(bit_or(place) FILTER (passed)), 0) + count(DISTINCT sample) FILTER (far AND passed) AS c
FROM (
    SELECT
        task_id, policy_id, protocol_hash, sample,
        judgement NOT IN ('INFRA', 'UNDECIDED') AS decided,
        judgement = 'PASS' AS passed,
        sample >= 120 AS far,
        CASE WHEN sample < 120 THEN 1::HUGEINT << sample::INT ELSE 0::HUGEINT END AS place
    FROM rollouts
    WHERE purpose = 'eval'
)
GROUP BY task_id, policy_id, protocol_hash;
