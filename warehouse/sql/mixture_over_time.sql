-- Weight of each arm in each plan, beside the plan before. grain: plan x arm; keys: mixture_id, arm
WITH arms AS (
    SELECT mixture_id, campaign_id, stage_index, scheduler, previous, kl, weights, unnest(json_keys(weights)) AS arm
    FROM mixtures
    SEMI JOIN (SELECT max(rowid) AS newest FROM mixtures GROUP BY mixture_id) AS n ON n.newest = mixtures.rowid
),
weighted AS (
    SELECT * EXCLUDE (weights), json_extract(weights, '$."' || arm || '"')::DOUBLE AS weight
    FROM arms
)
SELECT w.campaign_id, w.stage_index, w.mixture_id, w.scheduler, w.arm, w.weight, b.weight AS weight_before, w.kl
FROM weighted AS w
LEFT JOIN weighted AS b ON b.mixture_id = w.previous AND b.arm = w.arm
ORDER BY w.campaign_id, w.stage_index, w.mixture_id, w.weight DESC, w.arm;
