-- grain: one write; keys: batch
CREATE TABLE IF NOT EXISTS batches (
    "batch" VARCHAR NOT NULL,
    "purpose" VARCHAR NOT NULL,
    "n_rows" BIGINT NOT NULL,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
