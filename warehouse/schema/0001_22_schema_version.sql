-- grain: one migration or change of the views; keys: kind, version, applied_at
CREATE TABLE IF NOT EXISTS schema_version (
    "kind" VARCHAR NOT NULL,
    "version" BIGINT NOT NULL,
    "digest" VARCHAR NOT NULL,
    "applied_at" TIMESTAMP WITH TIME ZONE NOT NULL
);
