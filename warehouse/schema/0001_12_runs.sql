-- grain: one change of one flow run; keys: run
CREATE TABLE IF NOT EXISTS runs (
    "run" VARCHAR NOT NULL,
    "campaign_id" VARCHAR,
    "flow" VARCHAR NOT NULL,
    "status" VARCHAR NOT NULL,
    "config" VARCHAR NOT NULL,
    "code_version" VARCHAR NOT NULL,
    "started_at" TIMESTAMP WITH TIME ZONE NOT NULL,
    "finished_at" TIMESTAMP WITH TIME ZONE,
    "cpu_s" DOUBLE NOT NULL,
    "outputs" VARCHAR NOT NULL,
    "reason" VARCHAR,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
