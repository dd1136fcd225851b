"""Values of several words, and values on the lines below their key, as YAML and people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from synth.traces.labels import Sure
from synth.traces.spoken import is_odd, is_prose, is_secret
from synth.traces.values import FIXED, TOLD_BY, Value, quoted_at, word_at

Span = tuple[int, int]

_REST = re.compile(
    r"(?:[ \t]{1,3}(?!#|//|--|\[)[^\s\"`=:{}()\[\]<>|,;\\]{1,60}"
    r"(?=[\s,.;!?\\\"'`)\]}<]|\Z)(?![ \t]{0,3}[=:])[,;.!?]?){1,40}",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"[|>][+\-\d]{0,2}[ \t]{0,9}(?:#[^\n]{0,200})?\r?\n")
_LINE = re.compile(r"([ \t]{0,80})([^\s][^\n]{0,500}|[^\n]{0})(?:\n|\Z)")
_EMPTY = re.compile(r"(?:[&!][\w!]{1,40})?[ \t]{0,9}(?:#[^\n]{0,200})?\r?\n")
_ENTRY = re.compile(r"(-[ \t]{1,3})?(?:[\"']?([A-Za-z_][\w.\-]{0,40})[\"']?:(?:[ \t]{1,9}|$))?")
_COMMENT = re.compile(r"[ \t]{1,9}#.*|[ \t\r]+\Z")


def sentence(text: str, word: Value) -> Span | None:
    """The span of an unquoted value that begins with `word` and may go on for words; none where it is prose.

    >>> text = "correct horse staple # x"
    >>> sentence(text, Value(0, 7, 7, False))
    (0, 20)
    """
    first = text[word.start : word.end]
    if is_prose(first):
        return None
    more = _REST.match(text, word.end) if text[word.end : word.end + 1] in " \t" else None
    if more is None or is_prose(more[0]):
        return word.start, word.end
    said = more[0].rstrip(",;. \t")
    return word.start, word.end + len(said)


def below(text: str, at: int, indent: int, sure: Sure) -> list[Span] | None:
    """The spans in a block, a list, a mapping or one word below a key on a line with an indent; none if there is none.

    `at` is behind the colon.
    """
    if block := _BLOCK.match(text, at):
        lines = list(_lines(text, block.end(), indent + 1))
        if not lines or FIXED.match(text, lines[0][0]) or not (sure == "word" or is_odd(text[slice(*lines[0])])):
            return []
        return [(lines[0][0], lines[-1][1])]
    empty = _EMPTY.match(text, at)
    if empty is None:
        return None
    found: list[Span] = []
    column = -1
    for start, end in _lines(text, empty.end(), indent):
        depth = start - (text.rfind("\n", 0, start) + 1)
        entry = _ENTRY.match(text, start, end)
        if entry is None or (depth <= indent and not entry[1]) or (column >= 0 and not (entry[1] or entry[2])):
            break
        column = depth
        if entry[2] and entry[2].casefold() in TOLD_BY:
            continue
        said = _value(text, entry.end(), end)
        if said is None or not (entry[1] or entry[2] or _lone(text, said)):
            continue
        if not entry[2] and is_prose(text[said.start : said.end_inner]) and not said.quoted:
            return []
        judge = is_secret if sure == "word" else is_odd
        if judge(text[said.start : said.end_inner], quoted=said.quoted):
            found.append((said.start, said.end_inner))
        if not (entry[1] or entry[2]):
            break
    return found


def _lines(text: str, at: int, least: int) -> Iterator[Span]:
    """The lines from a place on that are indented at least so far, without indent and end; at most 60."""
    for _ in range(60):
        line = _LINE.match(text, at)
        if line is None or not line[2] or len(line[1]) < least:
            return
        yield line.start(2), line.end(2) - (line[2].endswith("\r"))
        at = line.end()


def _value(text: str, start: int, end: int) -> Value | None:
    if (quoted := quoted_at(text, start)) and quoted[0].end <= end:
        return quoted[0]
    said = _COMMENT.sub("", text[start:end])
    return Value(start, start + len(said), start + len(said), False) if said and said[0] not in "[{(|>" else None


def _lone(text: str, value: Value) -> bool:
    """Whether a value is one word and no statement of a program."""
    word = word_at(text, value.start)
    return value.quoted or (word is not None and word.end >= value.end_inner - 1)
