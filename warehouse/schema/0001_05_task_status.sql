-- grain: one change of status of one task; keys: task_id
CREATE TABLE IF NOT EXISTS task_status (
    "task_id" VARCHAR NOT NULL,
    "status" VARCHAR NOT NULL,
    "reason" VARCHAR NOT NULL,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
