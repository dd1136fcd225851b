-- grain: policy x protocol x group x metric; keys: eval_id, group, metric
CREATE TABLE IF NOT EXISTS evals (
    "eval_id" VARCHAR NOT NULL,
    "policy_id" VARCHAR NOT NULL,
    "protocol_hash" VARCHAR NOT NULL,
    "campaign_id" VARCHAR,
    "stage_index" BIGINT,
    "group" VARCHAR NOT NULL,
    "metric" VARCHAR NOT NULL,
    "value" DOUBLE NOT NULL,
    "low" DOUBLE NOT NULL,
    "high" DOUBLE NOT NULL,
    "n" BIGINT NOT NULL,
    "n_samples" BIGINT NOT NULL,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
