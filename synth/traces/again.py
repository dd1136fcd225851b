"""A secret once known, wherever it comes again: what announces it in one place gives it away in all."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from synth.traces.blocks import Span
from synth.traces.spoken import NO_SECRETS

_WORD = re.compile(r"\w+|[^\w\s]")


def is_telling(value: str) -> bool:
    """Whether a value is looked for elsewhere: long, or with a digit or a sign among its letters, and not a number.

    >>> [is_telling(said) for said in ("swordfish", "q7rt90", "admin", "123456", "letmein!")]
    [True, True, False, False, True]
    """
    if (
        value.casefold() in NO_SECRETS
        or not 6 <= len(value) <= 200
        or value.replace(".", "").isdigit()
        or "\n" in value
    ):
        return False
    return len(value) >= 8 or re.search(r"[^A-Za-z\s]", value) is not None


class Again:
    """Looks for many values in one pass: by their first word, then by their length."""

    def __init__(self, values: Iterable[str]):
        self._lengths: dict[str, set[int]] = defaultdict(set)
        self._values = frozenset(filter(is_telling, values))
        for value in self._values:
            if head := _WORD.match(value):
                self._lengths[head[0]].add(len(value))

    def spans(self, text: str) -> Iterator[Span]:
        """Where one of the values stands as a word of its own, the longest first at each place, in order."""
        last = 0
        for head in _WORD.finditer(text) if self._values else ():
            start = head.start()
            if start < last:
                continue
            for length in sorted(self._lengths.get(head[0], ()), reverse=True):
                end = start + length
                if text[start:end] in self._values and not (text[end - 1].isalnum() and text[end : end + 1].isalnum()):
                    yield start, end
                    last = end
                    break
