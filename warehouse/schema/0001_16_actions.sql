-- grain: one intervention; keys: action_id
CREATE TABLE IF NOT EXISTS actions (
    "action_id" VARCHAR NOT NULL,
    "alarm_id" VARCHAR,
    "owner" VARCHAR NOT NULL,
    "action" VARCHAR NOT NULL,
    "rule_version" VARCHAR NOT NULL,
    "before" VARCHAR NOT NULL,
    "after" VARCHAR NOT NULL,
    "applied" BOOLEAN NOT NULL,
    "effect" VARCHAR NOT NULL,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
