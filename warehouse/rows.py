"""Records to Arrow tables and back, by the contracts."""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TypeVar

import pyarrow as pa

from warehouse.contracts import TableContract, contract
from warehouse.errors import GradatimError
from warehouse.records import Record, canonical_json

R = TypeVar("R", bound=Record)


class ContractError(GradatimError):
    """A commit breaks a contract and was refused whole: table, column, rule and an example."""


def tables_of(records: Iterable[Record]) -> dict[str, pa.Table]:
    """One Arrow table for each kind of record; raises `ContractError` where a value has the wrong type."""
    groups: dict[type[Record], list[Record]] = {}
    for record in records:
        groups.setdefault(type(record), []).append(record)
    return {record.TABLE: _table(contract(record), rows) for record, rows in groups.items()}


def records_of(record: type[R], table: pa.Table) -> list[R]:
    """The rows of `table` as records, JSON and words decoded."""
    decoders = _decoders(record)
    columns = {name: table.column(name).to_pylist() for name in decoders}
    for name, decode in decoders.items():
        if decode is not None:
            columns[name] = [None if value is None else decode(value) for value in columns[name]]
    names = list(columns)
    return [record(**dict(zip(names, values, strict=True))) for values in zip(*columns.values(), strict=True)]


def _table(table: TableContract, rows: Sequence[Record]) -> pa.Table:
    arrays = []
    for c in table.columns:
        values = [getattr(row, c.name) for row in rows]
        try:
            if c.encoded:
                values = [None if value is None else _encode(value) for value in values]
            arrays.append(pa.array(values, c.arrow_type))
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            example = next((v for v in values if not _fits(v, c.arrow_type)), None)
            raise ContractError(
                f"{table.name}.{c.name} must be {c.sql_type}: {error} (value {str(example)[:80]!r}); "
                "see: gradatim tables"
            ) from error
    return pa.Table.from_arrays(arrays, schema=table.arrow_schema)


def _encode(value: object) -> str:
    if isinstance(value, str):
        raise TypeError("a mapping or a tuple is wanted, not text")
    return canonical_json(dict(value) if isinstance(value, Mapping) else typing.cast("list[str]", value))


def _fits(value: object, arrow_type: pa.DataType) -> bool:
    try:
        pa.array([value], arrow_type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True


def _decoders(record: type[Record]) -> dict[str, Callable[[str], object] | None]:
    hints = typing.get_type_hints(record)
    decoders: dict[str, Callable[[str], object] | None] = {}
    for field in dataclasses.fields(record):
        hint = hints[field.name]
        members = typing.get_args(hint)
        word = next((t for t in (hint, *members) if isinstance(t, type) and issubclass(t, StrEnum)), None)
        if word is not None:
            decoders[field.name] = word
        elif typing.get_origin(hint) is tuple:
            decoders[field.name] = lambda text: tuple(json.loads(text))
        elif isinstance(typing.get_origin(hint), type) and issubclass(typing.get_origin(hint), Mapping):
            decoders[field.name] = json.loads
        else:
            decoders[field.name] = None
    return decoders
