"""Rows of a JSON-lines file, plain or gzipped; a torn line ends the reading and keeps what came before it.

A line of JSON that no warehouse can keep (a number beyond all floats, half a character) is a row that is refused.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import zlib
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from warehouse.errors import UserError

Row = dict[str, Any]

MOST_BYTES = 2 << 30
"""Bytes that a gzip may unpack to: a bomb of a few megabytes would fill the memory."""
_SLICE = 1 << 20

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
"""Half a character, which no UTF-8 file and no warehouse can hold unless its other half follows."""


class Unkept(ValueError):
    """What a line holds and no warehouse can keep; the message is the reason for the funnel."""


class TooLong(ValueError):
    """A gzip that unpacks to more than is read."""


@dataclass(slots=True)
class Raw:
    """Rows read with their line numbers, the file's SHA-256, and the error that ended the reading, if one did.

    A row that holds what cannot be kept is the reason why it is refused.
    """

    sha256: str
    rows: list[tuple[int, Row | str]] = field(default_factory=list)
    error: UserError | None = None


class Lines(NamedTuple):
    """Every line of a file: its object, or what is wrong with it; `cut` says that the file ends early."""

    sha256: str
    rows: list[Row | str]
    cut: str | None = None


def read_lines(path: Path | str, *, limit: int | None = None) -> Lines:
    """The lines of the file at `path`, at most `limit`, bad ones with the reason, which quotes nothing of them.

    For logs, of which one line may be torn; a corpus is read by `read_rows`. Raises `UserError` when there is no file.
    """
    content, text, error = _content(path)
    lines = (line for line in text.splitlines() if line.strip())
    rows = [_object(line) for line in islice(lines, limit)]
    return Lines(hashlib.sha256(content).hexdigest(), rows, None if error is None else str(error))


def _object(line: bytes) -> Row | str:
    try:
        row = _parsed(line)
    except Unkept as unkept:
        return str(unkept)
    except ValueError:
        return "line is not JSON"
    return row if isinstance(row, dict) else "line is no object"


def read_rows(path: Path | str, *, limit: int | None = None) -> Raw:
    """The rows of the file at `path`, at most `limit`; raises `UserError` when there is no such file.

    An unreadable line or a gzip that ends early becomes `Raw.error`.
    """
    content, text, error = _content(path)
    raw = Raw(hashlib.sha256(content).hexdigest(), error=error)
    for number, line in enumerate(text.splitlines(), 1):
        if limit is not None and len(raw.rows) >= limit:
            break
        if not line.strip():
            continue
        try:
            row = _parsed(line)
        except Unkept as unkept:
            raw.rows.append((number, str(unkept)))
            continue
        except ValueError as error:
            raw.error = UserError(f"{path}:{number} is not JSON ({error}); correct or remove the line")
            break
        if not isinstance(row, dict):
            raw.error = UserError(
                f"{path}:{number} is a JSON {type(row).__name__}, must be an object; correct the line"
            )
            break
        raw.rows.append((number, row))
    return raw


def _content(path: Path | str) -> tuple[bytes, bytes, UserError | None]:
    """A file's bytes, its text unzipped where it must be, and the error where a gzip ends early."""
    file = Path(path)
    if not file.is_file():
        raise UserError(
            f"no file at {path}; give --path the path of a .jsonl or .jsonl.gz file; see: gradatim import --help"
        )
    content = file.read_bytes()
    if content[:2] != b"\x1f\x8b":
        return content, content, None
    try:
        text, whole = _unzipped(content, MOST_BYTES)
    except TooLong as long:
        raise UserError(f"{path}: {long}; unpack it, split it and import the parts") from long
    if whole:
        return content, text, None
    error = UserError(f"{path}: the gzip ends early; fetch it again; what came before is valid")
    return content, text[: text.rfind(b"\n") + 1], error


def _parsed(line: bytes) -> Any:
    """What a line says; raises `Unkept` where that cannot be kept, and `ValueError` where it is no JSON or no text."""
    try:
        row = json.loads(line, parse_constant=_refused, parse_float=_float, parse_int=_int)
        if _SURROGATE.search(line):
            json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Unkept("half a character") from None
    except RecursionError:
        raise Unkept("nested too deep") from None
    return row


def _refused(constant: str) -> float:
    raise Unkept(f"{constant} is no JSON number")


def _float(said: str) -> float:
    value = float(said)
    if not math.isfinite(value) or (value == 0 and re.match(r"[-0.]*[1-9]", said)):
        raise Unkept("a number beyond all floats")
    return value


def _int(said: str) -> int:
    try:
        return int(said)
    except ValueError:
        raise Unkept("a number of too many digits") from None


def _unzipped(content: bytes, limit: int) -> tuple[bytes, bool]:
    """What can be decompressed, and whether that is all of it; raises `TooLong` beyond `limit` bytes."""
    machine, parts, n = zlib.decompressobj(wbits=31), list[bytes](), 0
    for start in range(0, len(content), _SLICE):
        rest = content[start : start + _SLICE]
        while rest:
            if machine.eof:  # another member follows, or zeros that fill a block
                rest, machine = rest.lstrip(b"\0"), zlib.decompressobj(wbits=31)
                if not rest:
                    return b"".join(parts), True
            try:
                part = machine.decompress(rest, _SLICE)
            except zlib.error:
                return b"".join(parts), False
            parts.append(part)
            n += len(part)
            if n > limit:
                raise TooLong(f"it unpacks to more than {limit >> 20} MB")
            rest = machine.unused_data if machine.eof else machine.unconsumed_tail
    parts.append(machine.flush())
    return b"".join(parts), machine.eof
