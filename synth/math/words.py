r"""Answers that are words or a letter of a choice."""

from __future__ import annotations

import re

_WRAPPER = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mbox|operatorname)\s*\{([^{}]*)\}")
_ALONE = re.compile(rf"{_WRAPPER.pattern}\.?")
_LETTER = re.compile(r"[A-Z]|\([A-Z]\)")
_EDGES = " \t\n.,;:!?\"'`*"
_CHOICE = re.compile(r"[(\[]? ?([A-Za-z]) ?(?:[)\].:](?:\s.*)?)?", re.DOTALL)
_WORDS = re.compile(r"[A-Za-z][A-Za-z' -]*[A-Za-z.]")


def unwrapped(text: str) -> str:
    r"""`text` without `\text{...}` around its parts."""
    return _WRAPPER.sub(r"\1", text)


def alone(text: str) -> str:
    r"""What is inside when all of `text` is one `\text{...}`; else `text` itself."""
    match = _ALONE.fullmatch(text)
    return match[1].strip() if match else text


def is_choice(text: str) -> bool:
    """Whether `text` is one capital letter, perhaps in parentheses."""
    return _LETTER.fullmatch(unwrapped(text).strip()) is not None


def words(text: str) -> str:
    r"""`text` for comparison as words: unwrapped, one case, single spaces, bare edges.

    >>> words(r"\text{ No  Solution}.")
    'no solution'
    """
    return " ".join(unwrapped(text).split()).strip(_EDGES).casefold()


def choice(text: str) -> str | None:
    r"""The letter that `text` chooses, in upper case: `B`, `(b)`, `\text{(B)}`, `B. because`; else `None`."""
    match = _CHOICE.fullmatch(unwrapped(text).strip().strip("*$"))
    return match[1].upper() if match else None


def is_words(text: str) -> bool:
    """Whether `text` is two letters or more, with no mathematics in it."""
    return _WORDS.fullmatch(unwrapped(text).strip()) is not None
