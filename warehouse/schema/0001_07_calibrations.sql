-- grain: one task x policy x measurement; keys: task_id, policy_id
CREATE TABLE IF NOT EXISTS calibrations (
    "task_id" VARCHAR NOT NULL,
    "policy_id" VARCHAR NOT NULL,
    "arm" VARCHAR NOT NULL,
    "n" BIGINT NOT NULL,
    "c" BIGINT NOT NULL,
    "alpha" DOUBLE NOT NULL,
    "beta" DOUBLE NOT NULL,
    "mean" DOUBLE NOT NULL,
    "low" DOUBLE NOT NULL,
    "high" DOUBLE NOT NULL,
    "p_mixed" DOUBLE NOT NULL,
    "variance" DOUBLE NOT NULL,
    "bucket" VARCHAR NOT NULL,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
