"""Rows about the warehouse itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from warehouse.records.columns import Column


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One write; a batch id seen before makes the write a no-op."""

    TABLE: ClassVar[str] = "batches"
    GRAIN: ClassVar[str] = "one write"

    batch: Annotated[str, Column("identity of the write", key=True)]
    purpose: Annotated[str, Column("what wrote it; also the snapshot's message")]
    n_rows: Annotated[int, Column("rows over all tables", low=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """One Parquet file and its checksum."""

    TABLE: ClassVar[str] = "files"
    GRAIN: ClassVar[str] = "one Parquet file"

    path: Annotated[str, Column("path relative to the data folder", key=True)]
    n_bytes: Annotated[int, Column("size", low=0, unit="bytes")]
    blake3: Annotated[str, Column("blake3 of the file")]
