"""What a text says where it is written in escapes: JSON within strings, addresses of the web, HTML."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

_ESCAPE = re.compile(
    r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([nrt\"'/\\]))|%([2-7][0-9A-Fa-f])"
    r"|&#(?:0*(\d{2,5})|[xX]0*([0-9A-Fa-f]{2,4}));|&(quot|apos|amp|lt|gt|commat);"
)
_SIGNS = {"n": "\n", "r": "\n", "t": "\t", "quot": '"', "apos": "'", "amp": "&", "lt": "<", "gt": ">", "commat": "@"}
DEEPEST = 7
"""Levels of escapes that are read: 127 backslashes before a quote."""
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


class Decoded(NamedTuple):
    """A text without its escapes; character `i` stands in the source from `starts[i]` to `ends[i]`."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def source(self, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Where in the source the spans stand."""
        return ((self.starts[start], self.ends[end - 1]) for start, end in spans if start < end)


@lru_cache(maxsize=8)
def views(text: str) -> tuple[Decoded, ...]:
    r"""`text` with one level of escapes read after another, as JSON within strings of JSON has them; at most `DEEPEST`.

    >>> [view.text for view in views(r'{\\"pin\\": 1}')]
    ['{\\"pin\\": 1}', '{"pin": 1}']
    """
    found: list[Decoded] = []
    view = decoded(text)
    while view is not None and len(found) < DEEPEST:
        found.append(view)
        deeper = decoded(view.text)
        view = deeper and Decoded(
            deeper.text, [view.starts[i] for i in deeper.starts], [view.ends[i - 1] for i in deeper.ends]
        )
    return tuple(found)


def decoded(text: str) -> Decoded | None:
    r"""`text` with one level of escapes read; none where it has none.

    >>> found = decoded(r'{\"pin\": 1}')
    >>> found.text, list(found.source(iter([(1, 6)])))
    ('{"pin": 1}', [(1, 8)])
    """
    said, starts, ends, last = [], list[int](), list[int](), 0
    for match in _ESCAPE.finditer(text):
        kept = range(last, match.start())
        sign = plain_letter(_said(match))
        said += [text[last : match.start()], sign]
        starts += [*kept, *([match.start()] if sign else [])]
        ends += [*(i + 1 for i in kept), *([match.end()] if sign else [])]
        last = match.end()
    if not last:
        return None
    rest = range(last, len(text))
    return Decoded("".join([*said, text[last:]]), [*starts, *rest], [*ends, *(i + 1 for i in rest)])


def _said(match: re.Match[str]) -> str:
    word = match[match.lastindex or 0]
    if match.lastindex in (3, 7):
        return _SIGNS.get(word, word)
    code = int(word, 10 if match.lastindex == 5 else 16)
    return chr(code) if code >= 0x20 else " "


def plain_letter(letter: str) -> str:
    """Nothing for what cannot be seen, ASCII for digits, spaces and full-width letters, else the letter itself."""
    if letter.isascii():
        return letter
    kind = unicodedata.category(letter)
    if kind in ("Cf", "Cs", "Co", "Cn") or letter in _FILLERS or "VARIATION SELECTOR" in unicodedata.name(letter, ""):
        return ""
    if kind == "Nd":
        return str(unicodedata.decimal(letter))
    if kind in ("Zs", "Zl", "Zp"):
        return " " if kind == "Zs" else "\n"
    code = ord(letter)
    return chr(code - 0xFEE0) if 0xFF01 <= code <= 0xFF5E else letter
