"""What the warehouse can be asked: tables, views, named queries, and the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping

from warehouse import people_sql
from warehouse.contracts import contracts, documents
from warehouse.errors import unknown_name
from warehouse.home import Home
from warehouse.migrations import view_statements
from warehouse.named import named_queries


def catalogue() -> list[Mapping[str, object]]:
    """One row a table, view and named query, with what one of its rows is."""
    tables = [("table", table.name, table.grain) for table in contracts().values()]
    views = [("view", name, text.splitlines()[0].removeprefix("-- ")) for name, text in view_statements()]
    queries = [("named query", query.name, query.meaning) for query in named_queries().values()]
    return [{"kind": kind, "name": name, "meaning": meaning} for kind, name, meaning in tables + views + queries]


def columns_of(name: str, home: Home) -> list[Mapping[str, object]]:
    """One row a column of a table or of a view of `home`, or a parameter of a named query, with what it means.

    Raises `UserError` for a name that is none of them, and for a view while there is no warehouse.
    """
    if name in named_queries():
        query = named_queries()[name]
        return [
            {"parameter": param, "default": default or "must be given", "meaning": query.meanings[param]}
            for param, default in query.params.items()
        ]
    if name in dict(view_statements()):
        empty = people_sql.run(home, f"SELECT * FROM {name} LIMIT 0")
        return [{"column": field.name, "type": str(field.type)} for field in empty.schema]
    if name not in contracts():
        known = [str(row["name"]) for row in catalogue()]
        raise unknown_name("table, view or named query", name, known, "gradatim tables")
    return [{key: value for key, value in row.items() if key != "grain"} for row in documents() if row["table"] == name]
