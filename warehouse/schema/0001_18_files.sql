-- grain: one Parquet file; keys: path
CREATE TABLE IF NOT EXISTS files (
    "path" VARCHAR NOT NULL,
    "n_bytes" BIGINT NOT NULL,
    "blake3" VARCHAR NOT NULL,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
