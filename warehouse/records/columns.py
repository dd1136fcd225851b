"""What a column means: declared once beside the field, read by contracts, `gradatim tables` and the docs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol


@dataclass(frozen=True, slots=True)
class Column:
    """One column's meaning and limits.

    `key` marks the columns that identify a row within its grain; `low` and `high` bound numbers (inclusive);
    `references` names `table.column`; `unit` is the unit of a number; `json` columns hold canonical JSON text;
    `private` columns live in the private schema, all rows or (`"heldout"`) only those of the held-out split.
    """

    meaning: str
    key: bool = False
    low: float | None = None
    high: float | None = None
    unit: str | None = None
    references: str | None = None
    json: bool = False
    private: bool | str = False


class Record(Protocol):
    """A frozen dataclass that is one row of the table it names."""

    TABLE: ClassVar[str]
    GRAIN: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]
