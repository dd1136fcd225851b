"""Secrets in a column of a table: of Markdown, of a database's answer, of comma-separated lines, of INSERT."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from synth.traces.blocks import Span
from synth.traces.labels import KEY, Sure, sure
from synth.traces.spoken import is_odd, is_secret
from synth.traces.values import FIXED, quoted_at

_HEADS = re.compile(KEY.pattern.replace("(?P<tail>", "(?:"), re.IGNORECASE)
_RULER = re.compile(r"[ \t|:+\-=]{3,}\Z")
_NAME = re.compile(r"[ \t\"'*`_]*[^\W\d][\w .\-/]{0,40}[ \t\"'*`_]*\Z")
_ENTRY = re.compile(r"[ \t]{0,9}\|[ \t]{0,9}([^|\n]{3,40})\|[ \t]{0,9}([^\s|]{3,200})[ \t]{0,40}\|[ \t]{0,3}\Z")
_STATEMENT = re.compile(
    r"(?:assert|return|print|del|import|from|yield|raise|select|in|for|and|with|global|var|let)\b", re.I
)
_OPENED = re.compile(r"[^|,;\t]{0,80}[:=(][ ]?[\"']")
_TORN = re.compile(r"[\"'][ \t]{0,3}[})\],].{0,80}\Z")
_INSERT = re.compile(r"\binsert\s+into\s+[\w.\"`\[\]]{1,80}\s*\(([^()\n]{3,600})\)\s*values\s*", re.IGNORECASE)
_ROW = re.compile(r"\s{0,40}\(")
_MOST_ROWS = 200


class TableRule(NamedTuple):
    """The cells below a heading that tells of secrets."""

    kind: str = "SECRET"

    def spans(self, text: str) -> Iterator[Span]:
        """Places to mask, in order."""
        if _HEADS.search(text) is None:
            return
        lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n]+", text)]
        at = 0
        while at < len(lines):
            found, used = _table(text, lines, at)
            yield from found
            at += used


class InsertRule(NamedTuple):
    """The values that INSERT gives to columns that tell of secrets."""

    kind: str = "SECRET"

    def spans(self, text: str) -> Iterator[Span]:
        """Places to mask, in order."""
        for match in _INSERT.finditer(text):
            columns = [sure("", name.strip(" \t\"`[]'")) for name in match[1].split(",")]
            at = match.end()
            while any(columns) and (row := _ROW.match(text, at)):
                at = row.end()
                for column in columns:
                    quoted = quoted_at(text, at)
                    cell = re.compile(r"[^,()]{0,200}").match(text, quoted[-1].end if quoted else at)
                    if quoted and column and _secret(text[quoted[0].start : quoted[0].end_inner], column):
                        yield quoted[0].start, quoted[0].end_inner
                    at = cell.end() + 1 if cell else at + 1
                    at += len(text[at : at + 20]) - len(text[at : at + 20].lstrip())
                at += text[at : at + 1] == ","


def _table(text: str, lines: Sequence[Span], at: int) -> tuple[list[Span], int]:
    """The secrets of the table whose heading is a line, and how many lines it has; 1 where it is no heading."""
    opened = _OPENED.match(text, *lines[at])
    head = text[opened.end() if opened else lines[at][0] : lines[at][1]]
    if len(head) > 2000 or _HEADS.search(head) is None:
        return [], 1
    ruled = at + 1 < len(lines) and _RULER.match(text[slice(*lines[at + 1])])
    if (pair := _ENTRY.match(text, *lines[at])) and not ruled and _column(pair[1]) == "word":
        said = pair[2].strip("`*\"'")
        start = pair.start(2) + pair[2].find(said)
        return ([(start, start + len(said))] if not said.isdigit() and _secret(said, "word") else []), 1
    sign = next((sign for sign in "|\t;," if sign in head), None)
    if sign is None:
        return [], 1
    names = [cell.strip() for cell in head.split(sign)]
    columns = {i: how for i, name in enumerate(names) if (how := _column(name)) is not None}
    if sign != "|" and (not all(names) or head[0].isspace() or _STATEMENT.match(head)):
        return [], 1
    if not columns or not all(_NAME.match(name) for name in names if name or sign != "|"):
        return [], 1
    found: list[Span] = []
    used = 1
    for start, end in lines[at + 1 : at + 1 + _MOST_ROWS]:
        cells = list(_cells(text, start, end, sign))
        if sign == "|" and _RULER.match(text[start:end]):
            used += 1
            continue
        if len(cells) != len(names) or (sign == "|" and used < 2):
            break
        used += 1
        for i, how in columns.items():
            said = text[slice(*cells[i])]
            if _secret(said, how):
                found.append(cells[i])
    return found, used


def _column(name: str) -> Sure | None:
    said = name.strip(" \t\"'*`_")
    key = KEY.search(said)
    return sure("", said) if key is not None and len(said) <= 40 and len(said.split()) <= 3 else None


def _cells(text: str, start: int, end: int, sign: str) -> Iterator[Span]:
    """Where each cell of a line stands, without blanks, quotes and marks."""
    at = start
    while at <= end:
        quoted = quoted_at(text, at) if sign != "|" and text[at : at + 1] == '"' else []
        behind = quoted[0].end if quoted and quoted[0].end <= end else at
        stop = text.find(sign, behind, end)
        stop = end if stop < 0 else stop
        said = _TORN.sub("", text[at:stop])
        lead = len(said) - len(said.lstrip(" \t\"'`*"))
        yield at + min(lead, len(said)), max(at + min(lead, len(said)), at + len(said.rstrip(" \t\r\"'`*")))
        at = stop + 1


def _secret(said: str, how: Sure) -> bool:
    if FIXED.fullmatch(said) or (said.isdigit() and len(said) < 4):
        return False
    return (is_odd if how == "odd" else is_secret)(said)
