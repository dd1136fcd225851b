-- Failed interactions of imported logs, at most 64 a group, weakest group first. grain: trace; keys: task_id
-- param origin = all: a group or source, or all
WITH traces AS (
    SELECT
        task_id, family, level, prompt,
        json_extract_string(params, '$.trace.completion') AS completion,
        json_extract_string(params, '$.trace.feedback') AS feedback,
        json_extract_string(params, '$.trace.outcome') AS outcome
    FROM current_tasks
    WHERE
        answer_kind = 'trace' AND status = 'candidate'
        AND ($origin = 'all' OR family = $origin OR source = $origin)
),
groups AS (
    SELECT family, level, avg((outcome = 'passed')::INT) FILTER (outcome <> 'unknown') AS pass_rate
    FROM traces
    GROUP BY family, level
)
SELECT
    t.task_id, t.family, t.level, t.prompt, t.completion, t.feedback, g.pass_rate,
    row_number() OVER (PARTITION BY t.family, t.level ORDER BY t.task_id) AS place
FROM traces AS t
INNER JOIN groups AS g ON g.family = t.family AND g.level = t.level
WHERE t.outcome = 'failed'
QUALIFY place <= 64
ORDER BY g.pass_rate, t.family, t.level, place;
