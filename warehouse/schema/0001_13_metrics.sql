-- grain: owner x attempt x step x name; keys: owner, attempt, step, name
CREATE TABLE IF NOT EXISTS metrics (
    "owner" VARCHAR NOT NULL,
    "attempt" BIGINT NOT NULL,
    "step" BIGINT NOT NULL,
    "name" VARCHAR NOT NULL,
    "value" DOUBLE NOT NULL,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
