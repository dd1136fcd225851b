-- Yield and cost of an accepted task, checks included. grain: generator x version; keys: generator, generator_version
WITH checked AS (
    SELECT task_id, sum(cost) AS cost FROM verdicts GROUP BY task_id
),
made AS (
    SELECT a.generator, a.generator_version, a.outcome, a.task_id, a.cost AS spent, a.n_tokens, s.status, k.cost AS check_cost
    FROM attempts AS a
    LEFT JOIN current_status AS s USING (task_id)
    LEFT JOIN checked AS k USING (task_id)
)
SELECT
    generator,
    generator_version,
    count(*) AS n_attempts,
    count(DISTINCT task_id) FILTER (outcome = 'admitted' AND status = 'accepted') AS n_accepted,
    n_accepted / nullif(n_attempts, 0) AS yield_rate,
    sum(spent) + coalesce(sum(check_cost), 0) AS cost,
    cost / nullif(n_accepted, 0) AS cost_per_accepted,
    sum(n_tokens)::BIGINT AS n_tokens
FROM made
GROUP BY generator, generator_version
ORDER BY generator, generator_version;
