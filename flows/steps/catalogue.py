"""What the warehouse can be asked: tables, views, named queries, and the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping

from warehouse.contracts import contract_of, contracts, documents
from warehouse.migrations import view_statements
from warehouse.named import named_queries


def catalogue() -> list[Mapping[str, object]]:
    """One row a table, view and named query, with what one of its rows is."""
    tables = [("table", table.name, table.grain) for table in contracts().values()]
    views = [("view", name, text.splitlines()[0].removeprefix("-- ")) for name, text in view_statements()]
    queries = [("named query", query.name, query.meaning) for query in named_queries().values()]
    return [{"kind": kind, "name": name, "meaning": meaning} for kind, name, meaning in tables + views + queries]


def columns_of(table: str) -> list[Mapping[str, object]]:
    """One row a column of `table`: type, meaning and limits; raises `UserError` for an unknown table."""
    name = contract_of(table).name
    return [{key: value for key, value in row.items() if key != "grain"} for row in documents() if row["table"] == name]
