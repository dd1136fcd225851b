"""The SQL cell: one SELECT or EXPLAIN through the face that people ask the warehouse by."""

from __future__ import annotations

import marimo as mo

from flows.board.desk import Desk
from flows.board.display import note, table
from warehouse import people_sql
from warehouse.contracts import contracts

ROWS = 1_000
"""Rows shown of an answer."""
TIMEOUT_S = 30.0

EXAMPLE = """SELECT family, level, count(*) AS n
FROM current_tasks
WHERE status = 'accepted'
GROUP BY ALL
ORDER BY ALL"""


def answer(desk: Desk, sql: str) -> mo.Html:
    """The rows of `sql`, at most `ROWS`, under the lock-down of `gradatim sql`.

    Raises `UserError` for anything else than one SELECT or EXPLAIN over public tables, and for SQL that does not run.
    """
    if not sql.strip():
        return note("Write one SELECT or EXPLAIN.")
    found = people_sql.run(desk.home, sql, timeout_s=TIMEOUT_S, row_limit=ROWS, memory_limit=desk.settings.memory_limit)
    cut = people_sql.TRUNCATED in (found.schema.metadata or {})
    told = f"The first {ROWS:,} rows; the rest is cut." if cut else f"{found.num_rows:,} rows"
    return mo.vstack([table(found.to_pylist(), empty="No row."), mo.Html(f'<p class="board-quiet">{told}</p>')])


def schema() -> mo.Html:
    """Every table and view that can be asked, with the columns of the tables."""
    known = contracts()
    rows = [
        {
            "table or view": name,
            "columns": ", ".join(c.name for c in known[name].public)
            if name in known
            else "(a view; SELECT * shows them)",
        }
        for name in sorted(people_sql.public_names())
    ]
    return table(rows, empty="")
