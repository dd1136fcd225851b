-- grain: detector x owner x step; keys: alarm_id
CREATE TABLE IF NOT EXISTS alarms (
    "alarm_id" VARCHAR NOT NULL,
    "owner" VARCHAR NOT NULL,
    "step" BIGINT NOT NULL,
    "detector" VARCHAR NOT NULL,
    "detector_version" VARCHAR NOT NULL,
    "level" VARCHAR NOT NULL,
    "inputs" VARCHAR NOT NULL,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
