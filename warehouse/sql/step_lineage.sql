-- The tasks behind a gradient step: who made each, what admitted it, why it was drawn. grain: one draw; keys: stage_id, stage_attempt, step, slot
-- param stage: stage_id
-- param step: optimizer step
SELECT * FROM step_lineage
WHERE stage_id = $stage AND step = $step::BIGINT
ORDER BY stage_attempt, slot;
