"""The words that pocket tool sets are told in: meanings that recur, and names made of syllables.

A name is two syllables, and a family of names holds each first syllable once. Names of different families differ, so
that the names of a held-out family are unseen while their syllables are not. Foreign families are made of syllables
that no other family has.
"""

from __future__ import annotations

from warehouse.records import Split

MEANINGS = ("now", "past", "turn", "note", "wipe")
"""What tools do: tell the figure of a key, tell the one that was, convert a figure, note that a key was looked at,
clear everything."""

KEYS = "abcdefgh"
KNOWN = tuple(c + v for c in "bdklmt" for v in "aeiu")
FOREIGN = tuple(c + v for c in "rv" for v in "aeiu")
FAMILIES = (*(f"known {k}" for k in range(len(KNOWN))), *(f"foreign {k}" for k in range(len(FOREIGN))))


def names_of(family: str) -> list[str]:
    """Every name of a family, one a first syllable.

    >>> names_of("known 0")[:3]
    ['baba', 'bede', 'biki']
    """
    kind, _, number = family.partition(" ")
    syllables, stride = (KNOWN, 5) if kind == "known" else (FOREIGN, 3)
    size = len(syllables)
    return [syllables[i] + syllables[(stride * i + int(number)) % size] for i in range(size)]


def split_of_family(family: str) -> Split:
    """Of the 24 known families every fourth is held out and one is the canary's; all foreign ones are held out."""
    kind, _, number = family.partition(" ")
    if kind != "known" or int(number) % 4 == 0:
        return Split.HELDOUT
    return Split.CANARY if int(number) == 1 else Split.TRAIN
