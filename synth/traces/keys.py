"""A key that announces a secret, as it stands in a text, and which of the values after it are kept from sight."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from synth.traces.blocks import Span
from synth.traces.labels import Sure
from synth.traces.spoken import is_code, is_odd, is_secret
from synth.traces.values import FIXED, Value


class Reading(NamedTuple):
    """Where `pattern` matches, `reads` says which spans are a `kind`; both read a text in linear time."""

    kind: str
    pattern: re.Pattern[str]
    reads: Callable[[re.Match[str]], Sequence[Span]]

    def spans(self, text: str) -> Iterator[Span]:
        """Places to mask, in order."""
        at = 0
        while (match := self.pattern.search(text, at)) is not None:
            found = self.reads(match)
            yield from found
            at = max(match.end(), match.start() + 1, found[-1][1] if found else 0)


class Key(NamedTuple):
    """A key as it stands in a text: its whole name, what it announces, and the text of its line that leads to it."""

    text: str
    start: int
    end: int
    name: str
    sure: Sure
    before: str

    @property
    def begins(self) -> bool:
        """Whether the key is the first on its line, or within quotes."""
        return re.fullmatch(r"[\s*_#]*|.*[\"'>]\s?", self.before) is not None


def kept(key: Key, values: Sequence[Value]) -> list[Span]:
    """The spans of the values that are secrets after such a key."""
    return [(value.start, value.end_inner) for value in values if _iskept(key, value)]


def _iskept(key: Key, value: Value) -> bool:
    said = key.text[value.start : value.end_inner]
    if FIXED.fullmatch(said):
        return False
    if key.sure == "digits":
        return is_code(said)
    return (is_secret if key.sure == "word" else is_odd)(said, quoted=value.quoted)
