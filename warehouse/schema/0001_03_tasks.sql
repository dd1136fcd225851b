-- grain: one task version; keys: task_id; held-out tasks keep their private columns in private.task_secrets
CREATE TABLE IF NOT EXISTS tasks (
    "task_id" VARCHAR NOT NULL,
    "domain" VARCHAR NOT NULL,
    "family" VARCHAR NOT NULL,
    "level" BIGINT NOT NULL,
    "params" VARCHAR NOT NULL,
    "prompt" VARCHAR,
    "answer_kind" VARCHAR NOT NULL,
    "gold" VARCHAR,
    "entry" VARCHAR,
    "scaffold" VARCHAR,
    "tests" VARCHAR,
    "reference" VARCHAR,
    "parents" VARCHAR NOT NULL,
    "source" VARCHAR NOT NULL,
    "split" VARCHAR NOT NULL,
    "kind" VARCHAR NOT NULL,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
