from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from warehouse_rows import task

from warehouse import people_sql
from warehouse.engine import extension_path
from warehouse.errors import UserError
from warehouse.named import named_queries
from warehouse.people_sql import SqlTimeout, attach_line, run, run_named
from warehouse.store import Store


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) AS n FROM tasks",
        "FROM current_tasks SELECT task_id WHERE status = 'accepted'",
        "WITH x AS (SELECT task_id FROM tasks) SELECT * FROM x JOIN lake.main.rollouts USING (task_id)",
        "-- a comment\nSELECT family, count(*) FROM main.tasks GROUP BY ALL",
        "EXPLAIN SELECT * FROM tasks",
        "/* plan */ EXPLAIN ANALYZE SELECT count(*) FROM tasks",
        "SELECT * FROM tasks AT (VERSION => $NEWEST)",
        "SELECT unnest(json_keys(params)) FROM tasks",
        "SELECT * FROM range(3) r(i), (VALUES (1)) v(x)",
        "SUMMARIZE tasks",
        "DESCRIBE tasks",
        "SELECT params ->> 'seed' AS seed FROM tasks;",
        "SELECT task_id, row_number() OVER (ORDER BY task_id) FROM tasks",
        "SELECT snapshot_id, batch FROM batches",
        "VALUES (1), (2)",
    ],
)
def test_questions_are_answered(filled: Store, sql: str) -> None:
    assert run(filled.home, sql.replace("$NEWEST", str(filled.snapshot()))).num_rows > 0


WAYS_OUT = [
    "SELECT * FROM read_text('$FILE')",
    "SELECT * FROM read_blob('$FILE')",
    "SELECT * FROM read_csv('$FILE')",
    "SELECT * FROM read_csv_auto('$FILE')",
    "SELECT * FROM read_json('$FILE')",
    "SELECT * FROM sniff_csv('$FILE')",
    "SELECT * FROM '$FILE'",
    'SELECT * FROM "$FILE"',
    "SELECT * FROM glob('/*')",
    "SELECT (SELECT content FROM read_text('$FILE'))",
    "SELECT * FROM tasks WHERE task_id IN (SELECT content FROM read_text('$FILE'))",
    "WITH x AS (SELECT * FROM read_text('$FILE')) SELECT * FROM x",
    'WITH "$FILE" AS (SELECT 1) SELECT * FROM "$FILE"',
    "SELECT * FROM (WITH \"a.csv\" AS (SELECT 1) SELECT 1), 'a.csv'",
    "SELECT * FROM read_parquet('$DATA/**/*.parquet')",
    "SELECT * FROM parquet_scan('$DATA/private/**/*.parquet')",
    "SELECT * FROM '$DATA/private/task_secrets/*.parquet'",
    "SELECT * FROM parquet_metadata('$DATA/private/task_secrets/*.parquet')",
    "SELECT * FROM private.task_secrets",
    "SELECT * FROM lake.private.task_secrets",
    'SELECT * FROM "LAKE"."Private"."TASK_SECRETS"',
    "SELECT * FROM task_secrets",
    "SELECT * FROM private.task_secrets AT (VERSION => 3)",
    "SELECT * FROM tasks UNION ALL BY NAME SELECT * FROM private.task_secrets",
    "SELECT (SELECT max(hidden_tests) FROM private.task_secrets)",
    "SELECT * FROM tasks SEMI JOIN private.task_secrets USING (task_id)",
    "DESCRIBE private.task_secrets",
    "SUMMARIZE private.task_secrets",
    "SELECT * FROM (DESCRIBE private.task_secrets)",
    "EXPLAIN SELECT * FROM private.task_secrets",
    "SELECT * FROM query('SELECT * FROM private.task_secrets')",
    "SELECT * FROM query_table('private.task_secrets')",
    "SELECT * FROM ducklake_table_changes('lake', 'private', 'task_secrets', 0, 99)",
    "SELECT * FROM lake.table_changes('tasks', 0, 99)",
    "SELECT * FROM ducklake_list_files('lake', 'task_secrets', schema => 'private')",
    "SELECT * FROM ducklake_scan('x')",
    "SELECT * FROM __ducklake_metadata_lake.ducklake_data_file",
    "SELECT * FROM __ducklake_metadata_lake.main.ducklake_metadata",
    "SELECT * FROM sqlite_scan('$CATALOG', 'ducklake_data_file')",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM lake.information_schema.columns",
    "SELECT * FROM pg_catalog.pg_class",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM duckdb_tables()",
    "SELECT * FROM duckdb_tables",
    "WITH duckdb_settings AS (SELECT 1) SELECT * FROM duckdb_settings",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM pragma_database_list()",
    "SHOW TABLES",
    "SHOW ALL TABLES",
    "SHOW DATABASES",
    "SELECT current_setting('temp_directory')",
    "SELECT getenv('PATH')",
    "SELECT getvariable('x')",
    "SELECT json_serialize_plan('SELECT * FROM private.task_secrets')",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    "COPY tasks TO '$OUT'",
    "COPY (SELECT 1) TO '$OUT'",
    "EXPLAIN COPY (SELECT 1) TO '$OUT'",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '$OUT'",
    "EXPORT DATABASE '$OUT'",
    "ATTACH '$OUT' AS other",
    "ATTACH 'ducklake:sqlite:$CATALOG' AS again",
    "DETACH lake",
    "USE memory",
    "INSTALL httpfs",
    "LOAD httpfs",
    "PRAGMA database_list",
    "PRAGMA enable_profiling",
    "CALL pragma_version()",
    "CALL ducklake_expire_snapshots('lake', older_than => now())",
    "SET enable_external_access = true",
    "SET VARIABLE x = 1",
    "RESET lock_configuration",
    "CREATE TABLE x (a INT)",
    "CREATE TEMP TABLE x AS SELECT 1",
    "CREATE MACRO f() AS TABLE SELECT * FROM private.task_secrets",
    "INSERT INTO tasks SELECT * FROM tasks",
    "UPDATE tasks SET gold = 'x'",
    "DELETE FROM tasks",
    "DROP TABLE tasks",
    "ALTER TABLE tasks ADD COLUMN x INT",
    "TRUNCATE tasks",
    "MERGE INTO tasks USING tasks t ON false WHEN NOT MATCHED THEN INSERT",
    "EXPLAIN ANALYZE DELETE FROM tasks",
    "BEGIN",
    "VACUUM",
    "CHECKPOINT lake",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "PIVOT tasks ON family USING count(*)",
    "SELECT 1; DROP TABLE tasks",
    "SELECT 1; SELECT 2",
    "SELEC 1",
    "",
    "-- nothing",
    "SELECT $" + "(" * 5000,
]


@pytest.mark.parametrize("sql", WAYS_OUT)
def test_every_way_out_is_refused_and_changes_nothing(filled: Store, tmp_path: Path, sql: str) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("password\nhunter2\n")
    out = tmp_path / "out"
    before = filled.snapshot()
    for name, value in {
        "$FILE": secret,
        "$OUT": out,
        "$DATA": filled.home.data,
        "$CATALOG": filled.home.catalog,
    }.items():
        sql = sql.replace(name, str(value))
    with pytest.raises(UserError) as told:
        run(filled.home, sql)
    assert "hunter2" not in str(told.value)
    assert not out.exists()
    assert filled.snapshot() == before


def test_the_connection_itself_is_closed_even_to_sql_that_passed_the_parser(filled: Store, tmp_path: Path) -> None:
    """The second line of defence: what the locked-down connection refuses without any parsing."""
    secret = tmp_path / "secret.csv"
    secret.write_text("password\nhunter2\n")
    connection = people_sql._locked_down(filled.home, private=False, memory_limit="1GB", snapshot=None)
    try:
        for sql in (
            f"SELECT * FROM read_text('{secret}')",
            f"SELECT * FROM '{secret}'",
            "SELECT * FROM glob('/etc/*')",
            f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
            f"ATTACH '{tmp_path / 'other.db'}' AS other",
            f"SELECT * FROM read_parquet('{filled.home.data}/private/**/*.parquet')",
            "SELECT * FROM private.task_secrets",
            f"LOAD '{extension_path('postgres_scanner')}'",
            "INSTALL httpfs",
            "SET enable_external_access = true",
            "SET allowed_directories = ['/']",
            "RESET lock_configuration",
            "INSERT INTO lake.tasks SELECT * FROM lake.tasks",
            "DROP TABLE lake.tasks",
            "CREATE TABLE lake.x (a INT)",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(sql).fetchall()
        # SQLite files open below DuckDB's file system, so a second attach rests on the parser; the Parquet does not.
        connection.execute(f"ATTACH 'ducklake:sqlite:{filled.home.catalog}' AS again")
        with pytest.raises(duckdb.Error):
            connection.execute("SELECT * FROM again.private.task_secrets").fetchall()
    finally:
        connection.close()


def test_the_private_schema_opens_only_when_asked(filled: Store) -> None:
    rows = run(
        filled.home, "SELECT task_id, hidden_tests FROM private.task_secrets ORDER BY 1", private=True
    ).to_pylist()
    assert [r["task_id"] for r in rows] == ["t0", "t10", "t11"]
    with pytest.raises(UserError, match="--private"):
        run(filled.home, "SELECT * FROM private.task_secrets")


def test_held_out_texts_are_not_in_public_tables(filled: Store) -> None:
    names = ("prompt", "gold", "tests", "reference", "scaffold")
    rows = run(filled.home, f"SELECT {', '.join(names)} FROM tasks WHERE split = 'heldout'").to_pylist()
    assert rows == [dict.fromkeys(names)] * 2


def test_a_query_that_runs_for_ever_is_stopped(filled: Store) -> None:
    with pytest.raises(SqlTimeout, match=r"longer than 0\.5 s"):
        run(
            filled.home,
            "SELECT count(*) FROM range(10000000000) a, range(10000000000) b WHERE a.range = b.range + 1",
            timeout_s=0.5,
        )


def test_rows_are_limited_and_the_cut_is_marked(filled: Store) -> None:
    cut = run(filled.home, "SELECT * FROM range(1000000000)", row_limit=10)
    assert cut.num_rows == 10
    assert cut.schema.metadata == {people_sql.TRUNCATED: b"10"}
    assert run(filled.home, "SELECT * FROM range(10)", row_limit=10).schema.metadata is None


def test_parameters_are_bound_as_values(filled: Store) -> None:
    sql = "SELECT count(*) AS n FROM tasks WHERE family = $family"
    assert run(filled.home, sql, params={"family": "rev"}).to_pylist() == [{"n": 12}]
    assert run(filled.home, sql, params={"family": "x' OR true; DROP TABLE tasks; --"}).to_pylist() == [{"n": 0}]
    with pytest.raises(UserError, match="the query failed"):
        run(filled.home, sql)


@pytest.mark.parametrize("name", sorted(named_queries()))
def test_named_queries_pass_the_same_gate(filled: Store, name: str) -> None:
    given = {n: 0 if n == "step" else "p0" for n, default in named_queries()[name].params.items() if default is None}
    assert run_named(filled.home, name, given).num_columns > 0


def test_questions_can_be_asked_of_the_past(store: Store) -> None:
    first = store.commit([task(1)], batch="b1", purpose="x", run="r")
    store.commit([task(2)], batch="b2", purpose="x", run="r")
    assert run(store.home, "SELECT count(*) AS n FROM current_tasks", snapshot=first.snapshot_id).to_pylist() == [
        {"n": 1}
    ]


def test_errors_are_one_line(filled: Store) -> None:
    for sql in ("SELECT nope FROM tasks", "SELECT 1/", "SELECT * FROM tsks"):
        with pytest.raises(UserError) as told:
            run(filled.home, sql)
        assert "\n" not in str(told.value)


def test_any_duckdb_client_can_attach(filled: Store) -> None:
    client = duckdb.connect()
    for name in ("sqlite_scanner", "ducklake"):
        client.execute(f"LOAD '{extension_path(name)}'")
    client.execute(attach_line(filled.home))
    assert client.execute("SELECT n_in, n_out FROM gradatim.funnel").fetchall() == [(14, 12)]
    with pytest.raises(duckdb.Error):
        client.execute("DELETE FROM gradatim.tasks")
    client.close()


def test_a_missing_home_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no warehouse"):
        run(tmp_path / "none", "SELECT 1")
