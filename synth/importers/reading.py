"""Rows of a JSON-lines file, plain or gzipped; a bad line ends the reading and keeps what came before it."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warehouse.errors import UserError

Row = dict[str, Any]

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
"""Half a character, which no UTF-8 file and no warehouse can hold unless its other half follows."""


@dataclass(slots=True)
class Raw:
    """Rows read with their line numbers, the file's SHA-256, and the error that ended the reading, if one did."""

    sha256: str
    rows: list[tuple[int, Row]] = field(default_factory=list)
    error: UserError | None = None


def read_rows(path: Path | str, *, limit: int | None = None) -> Raw:
    """The rows of the file at `path`, at most `limit`; raises `UserError` when there is no such file.

    An unreadable line or a gzip that ends early becomes `Raw.error`.
    """
    file = Path(path)
    if not file.is_file():
        raise UserError(
            f"no file at {path}; give --path the path of a .jsonl or .jsonl.gz file; see: gradatim import --help"
        )
    content = file.read_bytes()
    raw = Raw(hashlib.sha256(content).hexdigest())
    text = content
    if content[:2] == b"\x1f\x8b":
        text, whole = _unzipped(content)
        if not whole:
            raw.error = UserError(f"{path}: the gzip ends early; fetch it again; what came before is valid")
            text = text[: text.rfind(b"\n") + 1]
    for number, line in enumerate(text.splitlines(), 1):
        if limit is not None and len(raw.rows) >= limit:
            break
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_constant=_refused)
            if _SURROGATE.search(line):
                json.dumps(row, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raw.error = UserError(f"{path}:{number} is not JSON ({error}); correct or remove the line")
            break
        if not isinstance(row, dict):
            raw.error = UserError(
                f"{path}:{number} is a JSON {type(row).__name__}, must be an object; correct the line"
            )
            break
        raw.rows.append((number, row))
    return raw


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")


def _unzipped(content: bytes) -> tuple[bytes, bool]:
    """What can be decompressed, and whether that is all of it."""
    try:
        return gzip.decompress(content), True
    except (EOFError, OSError, zlib.error):
        machine = zlib.decompressobj(wbits=31)
        try:
            return machine.decompress(content), False
        except zlib.error:
            return b"", False
