-- Weight of each arm in each plan (planned), beside its share of the draws that led to the checkpoint (drawn) and its weight in the plan before. `drawn` is null until a stage of the plan is finished. The two differ by design: the frontier scheduler adapts within a stage and leaves the plan by some slack, explores and replays; a scheduler without a plan draws by chance. grain: plan x arm; keys: mixture_id, arm
WITH arms AS (
    SELECT mixture_id, campaign_id, stage_index, scheduler, previous, kl, weights, unnest(json_keys(weights)) AS arm
    FROM mixtures
    SEMI JOIN (SELECT max(rowid) AS newest FROM mixtures GROUP BY mixture_id) AS n ON n.newest = mixtures.rowid
),
weighted AS (
    SELECT * EXCLUDE (weights), json_extract(weights, '$."' || arm || '"')::DOUBLE AS planned
    FROM arms
),
trained AS (
    SELECT mixture_id, max_by(stage_id, written_at) AS stage_id
    FROM current_stages
    WHERE status = 'finished' AND kind = 'grpo'
    GROUP BY mixture_id
),
kept AS (
    SELECT s.mixture_id, d.task_id
    FROM trained AS t
    INNER JOIN current_stages AS s USING (stage_id)
    INNER JOIN draws AS d ON d.stage_id = s.stage_id AND d.stage_attempt <= s.attempt AND d.step < s.n_steps
    QUALIFY d.stage_attempt = max(d.stage_attempt) OVER (PARTITION BY d.stage_id, d.step)
),
drawn AS (
    SELECT k.mixture_id, t.arm, count(*) / sum(count(*)) OVER (PARTITION BY k.mixture_id) AS share
    FROM kept AS k
    INNER JOIN (
        SELECT task_id, any_value(family || '/' || level || '/' || source) AS arm FROM tasks GROUP BY task_id
    ) AS t USING (task_id)
    GROUP BY k.mixture_id, t.arm
)
SELECT
    w.campaign_id, w.stage_index, w.mixture_id, w.scheduler, w.arm, w.planned,
    CASE WHEN w.mixture_id IN (SELECT mixture_id FROM drawn) THEN coalesce(d.share, 0) END AS drawn,
    b.planned AS planned_before, w.kl
FROM weighted AS w
LEFT JOIN weighted AS b ON b.mixture_id = w.previous AND b.arm = w.arm
LEFT JOIN drawn AS d ON d.mixture_id = w.mixture_id AND d.arm = w.arm
ORDER BY w.campaign_id, w.stage_index, w.mixture_id, w.planned DESC, w.arm;
