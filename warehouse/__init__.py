"""The task warehouse: records, schema, store, SQL, lineage and upkeep; the only code that knows DuckDB."""
