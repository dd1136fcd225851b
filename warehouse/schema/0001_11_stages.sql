-- grain: one change of one stage; keys: stage_id
CREATE TABLE IF NOT EXISTS stages (
    "stage_id" VARCHAR NOT NULL,
    "campaign_id" VARCHAR NOT NULL,
    "stage_index" BIGINT NOT NULL,
    "kind" VARCHAR NOT NULL,
    "status" VARCHAR NOT NULL,
    "attempt" BIGINT NOT NULL,
    "mixture_id" VARCHAR,
    "snapshot_id" BIGINT NOT NULL,
    "policy_in" VARCHAR,
    "policy_out" VARCHAR,
    "config" VARCHAR NOT NULL,
    "code_version" VARCHAR NOT NULL,
    "n_steps" BIGINT NOT NULL,
    "n_rollouts" BIGINT NOT NULL,
    "duration_s" DOUBLE NOT NULL,
    "reason" VARCHAR,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
