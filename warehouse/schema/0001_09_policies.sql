-- grain: one checkpoint; keys: policy_id
CREATE TABLE IF NOT EXISTS policies (
    "policy_id" VARCHAR NOT NULL,
    "name" VARCHAR NOT NULL,
    "lineage" VARCHAR NOT NULL,
    "parent" VARCHAR,
    "stage_id" VARCHAR,
    "weights_hash" VARCHAR NOT NULL,
    "path" VARCHAR NOT NULL,
    "n_parameters" BIGINT NOT NULL,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
