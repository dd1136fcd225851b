"""What people's SQL may say: one SELECT or EXPLAIN whose every name is allowed, read off DuckDB's own parse tree."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import duckdb

from warehouse.catalog import LAKE
from warehouse.errors import UserError

TABLE_FUNCTIONS = {"unnest", "range", "generate_series", "json_each", "json_tree"}
"""Table functions that read nothing but their arguments."""

_FORBIDDEN_FUNCTION = re.compile(
    r"^(read_|duckdb_|pragma_|ducklake_|sqlite_|postgres_|parquet_|sniff_|json_execute|json_serialize_plan|query|glob$"
    r"|getenv|getvariable|current_setting|set_config|write_log|nextval|currval|which_secret|pg_|has_|arrow_scan|pandas_)"
)
_CTE_NAME = re.compile(r"^(?!duckdb_|pragma_|sqlite_|pg_|ducklake_)[a-z_][a-z0-9_]*$", re.IGNORECASE)
_EXPLAIN = re.compile(r"^\s*explain(\s+analyze)?\s+", re.IGNORECASE)
_COMMENTS = re.compile(r"^(\s+|--[^\n]*(\n|$)|/\*.*?\*/)+", re.DOTALL)
_ASK = "allowed: one SELECT or EXPLAIN over the tables of: gradatim tables"


def allowed_statement(sql: str, *, tables: set[str], private: set[str]) -> str:
    """`sql` without leading comments when every name in it is allowed; raises `UserError` that says what is not."""
    with _parser().cursor() as parser:
        try:
            statements = parser.extract_statements(sql)
        except duckdb.Error as error:
            raise UserError(f"the SQL does not parse: {_short(error)}; {_ASK}") from error
        if len(statements) != 1:
            raise UserError(f"{len(statements)} statements were given; {_ASK}")
        kind = statements[0].type
        if kind not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
            raise UserError(f"a statement of kind {kind.name} was given; {_ASK}")
        text = _COMMENTS.sub("", sql, count=1)
        explain = _EXPLAIN.match(text) if kind == duckdb.StatementType.EXPLAIN else None
        query = text[explain.end() :] if explain else text
        tree = _tree(parser, query)
    cte_names = set(_cte_names(tree))
    for node in _nodes(tree):
        _check(node, tables, private, cte_names)
    return text


@cache
def _parser() -> duckdb.DuckDBPyConnection:
    """A DuckDB that only parses."""
    return duckdb.connect(":memory:", config={"enable_external_access": "false", "threads": 1})


def _tree(parser: duckdb.DuckDBPyConnection, query: str) -> object:
    try:
        row = parser.execute("SELECT json_serialize_sql($query)", {"query": query}).fetchone()
        told: dict[str, Any] = json.loads(row[0]) if row else {"error": True}
    except (duckdb.Error, RecursionError) as error:
        raise UserError(f"the SQL cannot be read: {_short(error)}; {_ASK}") from error
    if told["error"] or len(told["statements"]) != 1:
        raise UserError(f"the SQL cannot be read: {told.get('error_message', 'not one SELECT')}; {_ASK}")
    return told


def _nodes(tree: object) -> Iterator[dict[str, object]]:
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield node
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)


def _cte_names(tree: object) -> Iterator[str]:
    for node in _nodes(tree):
        names = node.get("cte_map")
        for entry in names.get("map", []) if isinstance(names, dict) else []:
            name = str(entry["key"])
            if not _CTE_NAME.match(name):
                raise UserError(f"'{name}' cannot name a common table expression; allowed: letters, digits and _")
            yield name.lower()


def _check(node: dict[str, object], tables: set[str], private: set[str], cte_names: set[str]) -> None:
    kind = node.get("type")
    if kind == "BASE_TABLE":
        _check_table(node, tables, private, cte_names)
    elif kind == "TABLE_FUNCTION":
        name = str(node["function"]["function_name"]).lower()  # type: ignore[index]
        if name not in TABLE_FUNCTIONS:
            raise UserError(f"table function '{name}' is not allowed; allowed: {', '.join(sorted(TABLE_FUNCTIONS))}")
    elif kind == "SHOW_REF" and node.get("query") is None:
        raise UserError(f"SHOW and DESCRIBE of names are not allowed; {_ASK}")
    if "function_name" in node:
        name = str(node["function_name"]).lower()
        if _FORBIDDEN_FUNCTION.match(name):
            raise UserError(f"function '{name}' is not allowed; {_ASK}")


def _check_table(node: dict[str, object], tables: set[str], private: set[str], cte_names: set[str]) -> None:
    catalog, schema, name = (str(node[key]).lower() for key in ("catalog_name", "schema_name", "table_name"))
    full = ".".join(part for part in (catalog, schema, name) if part)
    if catalog in ("", LAKE) and schema in ("", "main") and name in tables:
        return
    if catalog in ("", LAKE) and schema == "private" and name in private:
        return
    if not catalog and not schema and name in cte_names:
        return
    if schema == "private":
        raise UserError(f"'{full}' holds hidden tests and held-out texts; ask for it by name: gradatim sql --private")
    raise UserError(f"'{full}' is not a table or view of the warehouse; see: gradatim tables")


def _short(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
