"""What a value is, wherever one is announced: a quoted text, a word, what brackets hold; the only definition of it."""

from __future__ import annotations

import re
from typing import NamedTuple

from synth.traces.lists import listed

LONGEST = 2_000
"""Characters of a quoted value, and of what brackets hold."""
PLACEHOLDER = r"\[[A-Z]+_\d{1,6}\]"
IDENT = r"[A-Za-z_][\w.\- ]{0,30}"

_QUOTED = re.compile(
    r"(?:[bBrRfFuUL@$]{1,2}(?=[\"'`]))?(?:"
    rf"\"\"\"([\s\S]{{1,{LONGEST}}}?)\"\"\"|'''([\s\S]{{1,{LONGEST}}}?)'''"
    rf"|\"((?:[^\"\\\n]|\\[^\n]|\\\r?\n|\"\"(?=[^\s,;)\]}}])){{0,{LONGEST}}}+)\""
    rf"|'((?:[^'\\\n]|\\[^\n]|\\\r?\n|''(?=[^\s,;)\]}}])){{0,{LONGEST}}}+)'"
    rf"|`([^`]{{0,{LONGEST}}})`)"
)
_PLUS = re.compile(r"[ \t]{0,9}(?:\\\r?\n|\+|\.)\s{0,40}(?=[bBrRfFuU]{0,2}[\"'`])")
_PAIRED = rf"{PLACEHOLDER}|\{{\{{?[^{{}}\n\"']{{0,60}}\}}\}}?|\([^()\s\"']{{0,80}}\)|\[[^\[\]\s\"']{{0,80}}\]"
_GOES_ON = rf"(?=[^\s\"'\[{{])(?!{IDENT}[\"']?[:=])"
_WORD = re.compile(
    rf"(?:{_PAIRED}|[^\s\"'`\\(\[{{)\]}},;&|<]|[(\[{{]|[)\]}}]+(?=[A-Za-z0-9@#$%^*!])|\\++(?![nrtu\"'`\s])"
    rf"|[\"'`](?=[A-Za-z0-9])|[,;&]{_GOES_ON}|\|(?=[^\s|])|<(?!/|[A-Za-z][^<>\n]{{0,60}}>)){{1,400}}+"
)
_ASSIGNED = re.compile(
    rf"(?:{_PAIRED}|[^\s\"'`\\(\[{{)\]}},;&|<>]|[(\[{{]|[)\]}}]+(?=[A-Za-z0-9@#$%^*!])|\\++(?![nrtu\"'`\s])"
    rf"|[\"'`](?=[A-Za-z0-9])|[,&]{_GOES_ON}){{1,400}}+"
)
_SHELL = re.compile(r"(?:\\++(?![nrtu\"'`\s])|[^\s\"'`\\;|&()<>]|[\"'](?=[A-Za-z0-9])){1,400}+")
_ITEM = re.compile(r"[^\s,][^,]{0,100}")
FIXED = re.compile(PLACEHOLDER)
_SIGN = re.compile(rf"{PLACEHOLDER}|[\[({{\])}}]|(?<![A-Za-z0-9])[bBrRfFuU]{{0,2}}[\"'`]|[\"'`]")
_LIST = re.compile(r"\[([^\[\](){}\"'`\n]{1,400})\]")
TOLD_ENDS = ("url", "slug", "checksum", "version", "_at", "_type", "_name", "example")
_IS_KEY = re.compile(r"\s{0,9}(?::|=>|=(?!=))")
_NAMED = re.compile(r"([A-Za-z_][\w\-]{0,40})[\"']?\s{0,9}(?::|=>|=)\s{0,40}(?:\w{1,20}\()?\Z")
TOLD_BY = listed(
    "type format description title label name placeholder pattern message error help hint ref in id kind required "
    "widget role max min minlength maxlength length doc docs comment file path external environment env from"
)


class Value(NamedTuple):
    """Where a value stands, without its quotes; `end` is behind them."""

    start: int
    end_inner: int
    end: int
    quoted: bool


def quoted_at(text: str, at: int) -> list[Value]:
    """The quoted text at a place and those joined to it; empty where there is none.

    >>> [text[v.start : v.end_inner] for text in ['''b"it's" + 'so, too' x'''] for v in quoted_at(text, 0)]
    ["it's", 'so, too']
    """
    found: list[Value] = []
    while len(found) < 20 and (match := _QUOTED.match(text, at)) is not None:
        start, end = match.span(match.lastindex or 0)
        found.append(Value(start, end, match.end(), True))
        more = _PLUS.match(text, match.end())
        at = more.end() if more else match.end()
        if not more and text[at : at + 1] not in ("'", '"'):
            break
    return found


def word_at(text: str, at: int, *, style: str = "told") -> Value | None:
    """The word at a place: as `told` in a file, `assigned` by a program or given to a `shell`; without what ends it.

    >>> [text[v.start : v.end] for text in ["gold,9(x, y=1)"] if (v := word_at(text, 0))]
    ['gold,9(x']
    """
    pattern = {"told": _WORD, "assigned": _ASSIGNED, "shell": _SHELL}[style]
    match = pattern.match(text, at)
    if match is None:
        return None
    said = match[0].rstrip(".,:;") if style != "shell" else match[0]
    return Value(at, at + len(said), at + len(said), False) if said else None


def within(text: str, at: int) -> list[Value]:
    """The texts in the brackets that open at a place: values, not keys, and not what describes one.

    >>> text = "{'old': 'a1', 'type': 'text', 'new': ['b2']} 'c3'"
    >>> [text[v.start : v.end_inner] for v in within(text, 0)]
    ['a1', 'b2']
    """
    found: list[Value] = []
    depth, place, last = 0, at, min(len(text), at + 1_000)
    while (match := _SIGN.search(text, place, last)) is not None:
        place, sign = match.end(), match[0][-1]
        if sign in "[({":
            depth += 1
        elif sign in "])}" and len(match[0]) == 1:
            depth -= 1
            if depth <= 0:
                break
        elif sign in "\"'`":
            quoted = _QUOTED.match(text, match.start())
            if quoted is None:
                break
            place = quoted.end()
            if not _IS_KEY.match(text, place) and not _is_told(text[max(0, match.start() - 80) : match.start()]):
                found.append(Value(*quoted.span(quoted.lastindex or 0), place, True))
    return found


def _is_told(before: str) -> bool:
    """Whether what leads to a value in brackets is a key that describes: `type:`, `name=_(`."""
    named = _NAMED.search(before) if before.rstrip()[-1:] in (":", "=", ">", "(") else None
    return named is not None and (named[1].casefold() in TOLD_BY or named[1].casefold().endswith(TOLD_ENDS))


def listed_at(text: str, at: int) -> list[Value]:
    """The bare words of a list in brackets on one line, `[a, b]`, where it holds no quote and no call."""
    match = _LIST.match(text, at)
    if match is None or FIXED.fullmatch(match[0]):
        return []
    words = _ITEM.finditer(text, *match.span(1))
    return [Value(word.start(), word.start() + len(word[0].rstrip()), word.end(), False) for word in words]


def closes(text: str, quote: int) -> bool:
    """Whether the quote at a place ends a text that began before it on its line, as in `"password:" + x`."""
    line = text[max(text.rfind("\n", 0, quote) + 1, quote - 300) : quote]
    sign = text[quote]
    opened = re.findall(rf"(?<![\w\\]){sign}|(?<!\\){sign}(?!\w)", line)
    return len(opened) % 2 == 1 and re.match(r"[A-Za-z0-9]", text[quote + 1 : quote + 2]) is None
