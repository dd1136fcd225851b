"""JSON as models write it: what is certain is read, each repair is named, and what is cut off is not guessed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import NamedTuple

from warehouse.records import JsonValue

_FENCE = re.compile(r"```[a-zA-Z]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_LATEX = (
    "[bf][a-zA-Z]+|n(?:eq|abla|eg|otin|mid)|r(?:ight|ightarrow|ho|angle|ceil|floor)"
    "|t(?:imes|ext|extbf|heta|frac|riangle|au)|u(?:parrow|plus)"
)
_MEANT = re.compile(rf"(?<!\\)((?:\\\\)*)\\(?=(?:{_LATEX})(?![a-z])|[^\"\\/bfnrtu]|u(?![0-9a-fA-F]{{4}}))")
"""A backslash that JSON would swallow: before a command of LaTeX, or before what JSON knows no escape for."""
_COMMA = re.compile(r",(\s*[}\]])")


class Read(NamedTuple):
    """The object in a reply, or why there is none; `repairs` are `fence`, `prose`, `backslash`, `comma`, `control`."""

    fields: Mapping[str, JsonValue] | None
    reason: str | None = None
    repairs: tuple[str, ...] = ()


def read_object(text: str) -> Read:
    r"""The JSON object that a reply holds; never raises.

    >>> read_object('```json\n{"answer": "\\frac{1}{2}",}\n```')
    Read(fields={'answer': '\\frac{1}{2}'}, reason=None, repairs=('fence', 'backslash', 'comma'))
    >>> read_object('{"answer": "12').reason
    'json: cut off'
    """
    repairs: list[str] = []
    body = text.strip()
    fence = _FENCE.search(body)
    if fence is not None and "{" in fence[1]:
        body = fence[1].strip()
        repairs.append("fence")
    start = body.find("{")
    if start < 0:
        return Read(None, "json: no object", tuple(repairs))
    end = _end(body, start)
    if end is None:
        return Read(None, "json: cut off", tuple(repairs))
    if body[:start].strip() or body[end:].strip():
        repairs.append("prose")
    return _parsed(body[start:end], repairs)


def _parsed(body: str, repairs: list[str]) -> Read:
    meant = _MEANT.sub(r"\1\\\\", body)
    if meant != body:
        repairs.append("backslash")
    for repair in ("", "control", "comma"):
        if repair == "comma":
            meant = _COMMA.sub(r"\1", meant)
        try:
            fields = json.loads(meant, strict=not repair, parse_constant=_no_number, parse_float=_number)
            json.dumps(fields, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return Read(None, "json: not text", tuple(repairs))
        except (ValueError, RecursionError):
            continue
        if repair:
            repairs.append(repair)
        return Read(fields, None, tuple(repairs))
    return Read(None, "json: not valid", tuple(repairs))


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def _number(said: str) -> float:
    """The number that was written; raises `ValueError` for one beyond all floats, which would be read as another."""
    value = float(said)
    if not math.isfinite(value) or (value == 0 and re.match(r"[-0.]*[1-9]", said)):
        _no_number(said)
    return value


def _end(body: str, start: int) -> int | None:
    """Where the object that begins at `start` ends; none when it does not."""
    depth, quoted, escaped = 0, False, False
    for place in range(start, len(body)):
        letter = body[place]
        if escaped:
            escaped = False
        elif letter == "\\":
            escaped = True
        elif letter == '"':
            quoted = not quoted
        elif not quoted and letter in "{[":
            depth += 1
        elif not quoted and letter in "}]":
            depth -= 1
            if depth == 0:
                return place + 1
    return None
