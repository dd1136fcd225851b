"""What every table holds, derived from the records: read by the checks, `gradatim tables` and the docs."""

from __future__ import annotations

import dataclasses
import types
import typing
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache

import pyarrow as pa

from warehouse.errors import unknown_name
from warehouse.records import RECORDS, Column, Record

UTC_TIME = pa.timestamp("us", tz="UTC")
PRIVATE_TABLE = "task_secrets"
"""The table of schema `private` that holds hidden tests and the private columns of held-out tasks."""

STAMPS = {
    "run_id": ("VARCHAR", pa.string(), "the run that wrote the row"),
    "batch_id": ("VARCHAR", pa.string(), "the write that the row belongs to"),
    "written_at": ("TIMESTAMP WITH TIME ZONE", UTC_TIME, "when the row was written, UTC"),
}
"""Columns that the store stamps on every row: SQL type, Arrow type, meaning."""

_TYPES: dict[type, tuple[str, pa.DataType]] = {
    str: ("VARCHAR", pa.string()),
    int: ("BIGINT", pa.int64()),
    float: ("DOUBLE", pa.float64()),
    bool: ("BOOLEAN", pa.bool_()),
    datetime: ("TIMESTAMP WITH TIME ZONE", UTC_TIME),
}


@dataclass(frozen=True)
class ColumnContract:
    """One column: how it is stored and what it may hold."""

    name: str
    sql_type: str
    arrow_type: pa.DataType
    nullable: bool
    column: Column
    words: tuple[str, ...] = ()
    encoded: bool = False
    """Whether the record holds a mapping or a tuple that is stored as canonical JSON text."""


@dataclass(frozen=True)
class TableContract:
    """One table: its grain, its columns and the rules that every row keeps."""

    name: str
    grain: str
    meaning: str
    record: type[Record]
    columns: tuple[ColumnContract, ...]
    rules: tuple[tuple[str, str], ...]
    """Pairs of a sentence and the SQL condition that every row must meet."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Columns that identify a row within a commit."""
        return tuple(c.name for c in self.columns if c.column.key)

    @property
    def arrow_schema(self) -> pa.Schema:
        """The schema of rows before they are stamped."""
        return pa.schema([pa.field(c.name, c.arrow_type) for c in self.columns])

    @property
    def public(self) -> tuple[ColumnContract, ...]:
        """Columns of the public table; a column private in every row is not among them."""
        return tuple(c for c in self.columns if c.column.private is not True)

    @property
    def private(self) -> tuple[ColumnContract, ...]:
        """Columns that live, wholly or for held-out rows, in the private schema."""
        return tuple(c for c in self.columns if c.column.private)


RULES: dict[str, tuple[tuple[str, str], ...]] = {
    "attempts": (
        ("a rejected attempt has a reason, an admitted one has none", "(outcome = 'rejected') = (reason IS NOT NULL)"),
        ("an admitted attempt names its task", "outcome <> 'admitted' OR task_id IS NOT NULL"),
    ),
    "rollouts": (
        (
            "reward is none exactly when the judgement is INFRA or UNDECIDED",
            "(judgement IN ('INFRA', 'UNDECIDED')) = (reward IS NULL)",
        ),
    ),
    "calibrations": (
        ("c is at most n", "c <= n"),
        ("low is at most high", "low <= high"),
    ),
    "runs": (("a run ends after it started", "finished_at IS NULL OR finished_at >= started_at"),),
}
"""Rules of a whole row, by table; those of one column come from its `Column`."""


@cache
def contract(record: type[Record]) -> TableContract:
    """The contract of the table that `record` is a row of."""
    hints = typing.get_type_hints(record, include_extras=True)
    columns = tuple(_column(field.name, hints[field.name]) for field in dataclasses.fields(record))
    meaning = (record.__doc__ or "").strip().splitlines()[0]
    return TableContract(record.TABLE, record.GRAIN, meaning, record, columns, RULES.get(record.TABLE, ()))


@cache
def contracts() -> dict[str, TableContract]:
    """All contracts by table name."""
    return {record.TABLE: contract(record) for record in RECORDS}


def contract_of(table: str) -> TableContract:
    """The contract of `table`; raises `UserError` with the nearest names when there is none."""
    known = contracts()
    if table not in known:
        raise unknown_name("table", table, known, "gradatim tables")
    return known[table]


def documents() -> list[dict[str, object]]:
    """One row a column: table, column, type, meaning and limits, as `gradatim tables` prints them."""
    rows: list[dict[str, object]] = []
    for table in contracts().values():
        for c in table.columns:
            limits = {"low": c.column.low, "high": c.column.high, "words": list(c.words) or None}
            where = "private" if c.column.private is True else "private for held-out tasks"
            rows.append(
                {
                    "table": table.name,
                    "grain": table.grain,
                    "column": c.name,
                    "type": c.sql_type,
                    "key": c.column.key,
                    "nullable": c.nullable,
                    "meaning": c.column.meaning,
                    "unit": c.column.unit,
                    **limits,
                    "references": c.column.references,
                    "json": c.column.json,
                    "where": where if c.column.private else "public",
                }
            )
        for name, (sql_type, _, meaning) in STAMPS.items():
            rows.append(
                {
                    **dict.fromkeys(rows[-1]),
                    "table": table.name,
                    "grain": table.grain,
                    "column": name,
                    "type": sql_type,
                    "key": False,
                    "nullable": False,
                    "meaning": meaning,
                    "json": False,
                    "where": "public",
                }
            )
    return rows


def _column(name: str, hint: object) -> ColumnContract:
    base, *extras = typing.get_args(hint)
    column = next(e for e in extras if isinstance(e, Column))
    nullable = False
    if isinstance(base, types.UnionType) or typing.get_origin(base) is typing.Union:
        members = [m for m in typing.get_args(base) if m is not type(None)]
        nullable = len(members) < len(typing.get_args(base))
        base = members[0]
    if isinstance(base, type) and issubclass(base, StrEnum):
        return ColumnContract(name, "VARCHAR", pa.string(), nullable, column, tuple(w.value for w in base))
    if base in _TYPES:
        sql_type, arrow_type = _TYPES[typing.cast(type, base)]
        return ColumnContract(name, sql_type, arrow_type, nullable, column)
    return ColumnContract(name, "VARCHAR", pa.string(), nullable, column, encoded=True)
