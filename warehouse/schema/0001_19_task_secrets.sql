-- grain: one task version with something to hide; keys: task_id
CREATE TABLE IF NOT EXISTS private.task_secrets (
    "task_id" VARCHAR NOT NULL,
    "prompt" VARCHAR,
    "gold" VARCHAR,
    "tests" VARCHAR,
    "hidden_tests" VARCHAR,
    "reference" VARCHAR,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
