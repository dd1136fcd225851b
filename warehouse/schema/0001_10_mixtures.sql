-- grain: one plan; keys: mixture_id
CREATE TABLE IF NOT EXISTS mixtures (
    "mixture_id" VARCHAR NOT NULL,
    "campaign_id" VARCHAR NOT NULL,
    "stage_index" BIGINT NOT NULL,
    "policy_id" VARCHAR NOT NULL,
    "snapshot_id" BIGINT NOT NULL,
    "scheduler" VARCHAR NOT NULL,
    "config_hash" VARCHAR NOT NULL,
    "weights" VARCHAR NOT NULL,
    "previous" VARCHAR,
    "diff" VARCHAR NOT NULL,
    "kl" DOUBLE NOT NULL,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
