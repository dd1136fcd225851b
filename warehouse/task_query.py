"""The query behind `Store.tasks`: newest tasks with their status and, when asked for, their private columns."""

from __future__ import annotations

from warehouse.contracts import PRIVATE_TABLE, ColumnContract, contract
from warehouse.records import Task

_NEWEST = "row_number() OVER (PARTITION BY task_id ORDER BY rowid DESC) = 1"

_ADDED = "NULL::VARCHAR AS scaffold"
"""Private columns that a snapshot from before they were added does not have."""


def tasks_query(inner: str, outer: str, *, private: bool) -> str:
    """SQL for the columns of `Task`, sorted by id.

    `inner` filters on columns of `tasks` before the newest row is taken, `outer` on those and on `status`.
    """
    columns = ", ".join(_value(c, private=private) for c in contract(Task).columns)
    secrets = (
        f"LEFT JOIN (SELECT * FROM (SELECT * FROM private.{PRIVATE_TABLE} SEMI JOIN chosen USING (task_id) "
        f"QUALIFY {_NEWEST}) UNION ALL BY NAME SELECT {_ADDED} WHERE false) AS s ON s.task_id = t.task_id"
        if private
        else ""
    )
    return f"""
        WITH chosen AS (SELECT * FROM tasks WHERE {inner} QUALIFY {_NEWEST}),
        status AS (
            SELECT task_id, max_by(status, rowid) AS status
            FROM task_status SEMI JOIN chosen USING (task_id)
            GROUP BY task_id
        ),
        found AS (
            SELECT * FROM (
                SELECT c.*, coalesce(n.status, 'candidate') AS status
                FROM chosen AS c LEFT JOIN status AS n ON n.task_id = c.task_id
            ) WHERE {outer}
        )
        SELECT {columns} FROM found AS t {secrets} ORDER BY t.task_id
    """


def _value(c: ColumnContract, *, private: bool) -> str:
    if not c.column.private:
        return f't."{c.name}"'
    if private:
        return f"s.{c.name}" if c.column.private is True else f"coalesce(t.{c.name}, s.{c.name}) AS {c.name}"
    if c.column.private is True:
        return f"NULL::VARCHAR AS {c.name}"
    return f"t.{c.name}" if c.nullable else f"coalesce(t.{c.name}, '') AS {c.name}"
