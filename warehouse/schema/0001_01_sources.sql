-- grain: one imported corpus; keys: source, revision
CREATE TABLE IF NOT EXISTS sources (
    "source" VARCHAR NOT NULL,
    "revision" VARCHAR NOT NULL,
    "licence" VARCHAR NOT NULL,
    "n_rows" BIGINT NOT NULL,
    "sha256" VARCHAR NOT NULL,
    "run_id" VARCHAR NOT NULL,
    "batch_id" VARCHAR NOT NULL,
    "written_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
