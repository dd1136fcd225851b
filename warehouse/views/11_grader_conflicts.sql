-- Pairs of graders of which one is content (>= 0.5) and one is not. grain: task x pair of graders; keys: task_id, grader, other
WITH seen AS (
    SELECT task_id, parts, count(*) AS n
    FROM rollouts
    WHERE parts <> '{}'
    GROUP BY task_id, parts
),
part AS (
    SELECT task_id, parts, n, unnest(json_keys(parts)) AS grader
    FROM seen
),
valued AS (
    SELECT task_id, parts, n, grader, try_cast(json_value(parts, '$."' || grader || '"') AS DOUBLE) AS value
    FROM part
)
SELECT
    a.task_id,
    a.grader,
    b.grader AS other,
    sum(a.n)::BIGINT AS n_rollouts,
    sum(a.n) FILTER ((a.value >= 0.5) <> (b.value >= 0.5))::BIGINT AS n_conflicts
FROM valued AS a
INNER JOIN valued AS b ON a.task_id = b.task_id AND a.parts = b.parts AND a.grader < b.grader
WHERE a.value IS NOT NULL AND b.value IS NOT NULL
    AND a.grader <> 'S' AND b.grader <> 'S' AND NOT contains(a.grader || b.grader, '/')
GROUP BY a.task_id, a.grader, b.grader
HAVING n_conflicts > 0;
