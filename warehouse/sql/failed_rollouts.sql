-- Failed rollouts on training tasks, at most 64 an arm, weakest arm first. grain: rollout; keys: rollout_id
-- param origin = all: a family or source, or all
WITH judged AS (
    SELECT
        r.rollout_id, t.family, t.level, t.prompt, t.gold, r.completion, r.judgement = 'PASS' AS passed,
        avg((r.judgement = 'PASS')::INT) OVER (PARTITION BY t.family, t.level) AS pass_rate,
        row_number() OVER (PARTITION BY t.family, t.level, r.judgement = 'PASS' ORDER BY r.rollout_id) AS place
    FROM rollouts AS r
    INNER JOIN current_tasks AS t ON t.task_id = r.task_id
    WHERE t.split = 'train' AND t.gold IS NOT NULL AND r.judgement NOT IN ('INFRA', 'UNDECIDED')
        AND ($origin = 'all' OR t.family = $origin OR t.source = $origin)
)
SELECT * FROM judged WHERE NOT passed AND place <= 64 ORDER BY pass_rate, family, level, place;
