-- Failed rollouts on training tasks, at most 64 an arm, weakest arm first. grain: rollout; keys: rollout_id
-- param origin = all: a family or source, or all
WITH asked AS (
    SELECT task_id, family, level, prompt, gold
    FROM current_tasks
    WHERE split = 'train' AND gold IS NOT NULL AND ($origin = 'all' OR family = $origin OR source = $origin)
),
arms AS (
    SELECT
        t.family, t.level,
        avg((r.judgement = 'PASS')::INT) AS pass_rate,
        min_by(r.rowid, r.rollout_id, 64) FILTER (r.judgement <> 'PASS') AS failed
    FROM rollouts AS r
    INNER JOIN (SELECT task_id, family, level FROM asked) AS t ON t.task_id = r.task_id
    WHERE r.judgement NOT IN ('INFRA', 'UNDECIDED')
    GROUP BY t.family, t.level
),
picked AS (
    SELECT family, level, pass_rate, unnest(failed) AS found, unnest(generate_series(1, len(failed))) AS place FROM arms
)
SELECT
    r.rollout_id, t.family, t.level, t.prompt, t.gold, r.completion, false AS passed, p.pass_rate, p.place
FROM picked AS p
INNER JOIN rollouts AS r ON r.rowid = p.found
INNER JOIN asked AS t ON t.task_id = r.task_id
ORDER BY p.pass_rate, t.family, t.level, p.place;
