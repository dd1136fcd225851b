-- Unbiased pass@k of each policy from its evaluation rollouts: mean of 1 - C(n-c,k)/C(n,k) over tasks with n >= k.
-- grain: policy x protocol x family; keys: policy_id, protocol_hash, family
-- param k = 8: samples allowed
WITH estimated AS (
    SELECT
        task_id, policy_id, protocol_hash, n, c,
        CASE
            WHEN n - c < $k::BIGINT THEN 1.0
            ELSE 1.0 - exp(
                lgamma(n - c + 1) + lgamma(n - $k::BIGINT + 1) - lgamma(n - c - $k::BIGINT + 1) - lgamma(n + 1)
            )
        END AS solved
    FROM eval_tries
    WHERE n >= $k::BIGINT
)
SELECT
    policy_id, protocol_hash, t.family, $k::BIGINT AS k, count(*) AS n_tasks,
    avg(solved) AS pass_at_k, avg(c / n) AS pass_at_1
FROM estimated
INNER JOIN (SELECT task_id, any_value(family) AS family FROM tasks GROUP BY task_id) AS t USING (task_id)
GROUP BY policy_id, protocol_hash, t.family
ORDER BY policy_id, protocol_hash, t.family;
