"""How lists of words are written in this room."""

from __future__ import annotations


def listed(text: str) -> frozenset[str]:
    """The words between the blanks of `text`.

    >>> sorted(listed("one two"))
    ['one', 'two']
    """
    return frozenset(text.split())
