"""The engine's extensions: their signatures are checked, once a process, and nothing else may be loaded."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import duckdb
import pytest

from warehouse import engine
from warehouse.engine import connect, extension_path


def forged(file: Path) -> Path:
    """`file` as another one, whose signature, its last 256 bytes, is not that of its content."""
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    new = file.with_suffix(".new")
    new.write_bytes(data)
    return new.replace(file)


@pytest.fixture
def own(tmp_path, monkeypatch) -> Path:
    """A copy of an extension that a test may change, which `connect` loads instead."""
    copy = Path(shutil.copy(extension_path("sqlite_scanner"), tmp_path))
    places = {"sqlite_scanner": copy, "ducklake": extension_path("ducklake")}
    monkeypatch.setattr(engine, "extension_path", places.__getitem__)
    return copy


def test_an_extension_without_its_signature_is_refused(own):
    connect().close()
    forged(own)
    for _ in range(2):
        with pytest.raises(duckdb.Error, match="signature"):
            connect()


def test_one_that_was_checked_is_checked_again_when_it_changed_though_it_looks_as_old(own):
    for _ in range(2):
        connect().close()
    before = own.stat()
    forged(own)
    os.utime(own, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(duckdb.Error, match="signature"):
        connect()


def test_no_statement_loads_an_unsigned_extension(tmp_path):
    other = forged(Path(shutil.copy(extension_path("httpfs"), tmp_path)))
    for _ in range(2):
        with connect() as connection:
            with pytest.raises(duckdb.Error, match="signature"):
                connection.execute(f"LOAD '{other}'")
            with pytest.raises(duckdb.Error, match="while database is running"):
                connection.execute("SET allow_unsigned_extensions = true")
