-- grain: one attempt to make a task; keys: attempt_id
CREATE TABLE IF NOT EXISTS attempts (
    "attempt_id" VARCHAR NOT NULL,
    "campaign_id" VARCHAR NOT NULL,
    "generator" VARCHAR NOT NULL,
    "generator_kind" VARCHAR NOT NULL,
    "generator_version" VARCHAR NOT NULL,
    "generator_lineage" VARCHAR NOT NULL,
    "prompt_hash" VARCHAR,
    "seed" BIGINT NOT NULL,
    "index" BIGINT NOT NULL,
    "task_id" VARCHAR,
    "outcome" VARCHAR NOT NULL,
    "reason" VARCHAR,
    "kept_task_id" VARCHAR,
    "similarity" DOUBLE,
    "n_tokens" BIGINT NOT NULL,
    "cost" DOUBLE NOT NULL,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
