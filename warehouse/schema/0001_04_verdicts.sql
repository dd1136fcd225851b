-- grain: one check of one task by one verifier version; keys: task_id, check, verifier, verifier_version
CREATE TABLE IF NOT EXISTS verdicts (
    "task_id" VARCHAR NOT NULL,
    "check" VARCHAR NOT NULL,
    "verifier" VARCHAR NOT NULL,
    "verifier_version" VARCHAR NOT NULL,
    "verifier_lineage" VARCHAR NOT NULL,
    "outcome" VARCHAR NOT NULL,
    "reason" VARCHAR,
    "evidence" VARCHAR NOT NULL,
    "cost" DOUBLE NOT NULL,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
