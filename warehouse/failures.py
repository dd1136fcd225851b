"""What the engine's errors say to people: a full disk is the reader's to mend, the rest is named and kept short."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from warehouse.backups import way_back
from warehouse.errors import GradatimError, UserError
from warehouse.home import Home

FULL = ("database or disk is full", "no space left on device")
"""How SQLite and the operating system say that the disk is full."""

DAMAGED = ("parquet", "footer", "thrift", "tprotocol", "don't know what type", "cannot open file", "snappy", "zstd")
"""How the engine says that a file of the warehouse is missing or not what was written."""

BROKEN = ("file is not a database", "database disk image is malformed", "malformed database schema")
"""How SQLite says that the catalog is no longer what it wrote."""

_PASSWORD = re.compile(r"(password=)('(?:[^'\\]|\\.)*'|\S+)")
_POINTER = re.compile(r"LINE \d+:.*|\^")


class WarehouseFailed(GradatimError):
    """The engine could not do what it was asked; nothing of the transaction was written."""


def told(error: duckdb.Error, home: Home, doing: str) -> GradatimError:
    """The error to raise in place of the engine's own while `doing` something in `home`."""
    text = str(error)
    if any(sign in text.lower() for sign in FULL):
        return UserError(
            f"the disk under {home.root} is full while {doing}; what was committed before is whole; "
            "free some space and run the same command again; see: gradatim doctor"
        )
    if is_broken_catalog(error, home):
        return WarehouseFailed(
            f"the catalog {home.catalog} is broken, found while {doing}: {said(error)}; "
            f"the files of its rows are not touched; {way_back(home)}"
        )
    see = "gradatim warehouse check" if is_damage(error) else "gradatim doctor"
    return WarehouseFailed(f"the warehouse in {home.root} failed while {doing}: {said(error)}; see: {see}")


def is_broken_catalog(error: duckdb.Error, home: Home) -> bool:
    """Whether the engine could not read the SQLite catalog itself."""
    return home.catalog_url is None and any(sign in str(error).lower() for sign in BROKEN)


def said(error: duckdb.Error) -> str:
    """The engine's words in one line, without passwords and without pointers into SQL."""
    lines = [line.strip() for line in str(error).splitlines()]
    kept = [line for line in lines if line and not _POINTER.fullmatch(line)]
    return _PASSWORD.sub(r"\1***", " ".join(kept)[:1000]) or type(error).__name__


def is_damage(error: duckdb.Error) -> bool:
    """Whether the engine stumbled over a file of the warehouse and not over what it was asked."""
    if type(error) is duckdb.Error or isinstance(error, duckdb.IOException):  # a reader's error may have no class
        return True
    signs = any(sign in str(error).lower() for sign in DAMAGED)
    return signs and isinstance(error, (duckdb.InvalidInputException, duckdb.SerializationException))


@contextmanager
def telling(home: Home, doing: str) -> Iterator[None]:
    """Raise what the engine says inside as an error of gradatim."""
    try:
        yield
    except duckdb.Error as error:
        raise told(error, home, doing) from error


@contextmanager
def copying(to: Path, doing: str) -> Iterator[None]:
    """Say which folder cannot be written, and what to do, where a copy out of the warehouse breaks off."""
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UserError(
            f"'{to}' cannot be written while {doing}: {why}; the warehouse itself is as it was; "
            "mend that, or give another folder, and run the same command again"
        ) from error
