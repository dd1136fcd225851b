-- grain: one slot of one step of one stage attempt; keys: stage_id, stage_attempt, step, slot
CREATE TABLE IF NOT EXISTS draws (
    "stage_id" VARCHAR NOT NULL,
    "stage_attempt" BIGINT NOT NULL,
    "step" BIGINT NOT NULL,
    "slot" BIGINT NOT NULL,
    "task_id" VARCHAR NOT NULL,
    "p_mixed" DOUBLE NOT NULL,
    "score" DOUBLE NOT NULL,
    "reason" VARCHAR NOT NULL,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
