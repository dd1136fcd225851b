"""One spelling for words, numbers and texts that are spelled in several ways."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from synth.dedup.lexicon import CANONICAL, MAGNITUDES, NUMBER_WORDS, stem

LITERAL_PATTERN = r"""
      (?P<code>```.*?(?:```|\Z)|`[^`\n]+`)
    | (?P<quoted>"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|(?<!\w)'[^'\n]{1,200}'(?!\w)|(?<!\w)‘[^’\n]{1,200}’(?!\w))
    | (?P<latex>\$[^$\n]*[\\^_={}][^$\n]*\$|\\\(.*?\\\)|\\\[.*?\\\])
"""
"""Regular expression of what is compared letter by letter: code, quotations and LaTeX."""

_LITERAL = re.compile(LITERAL_PATTERN, re.VERBOSE | re.DOTALL)
_SPACE = re.compile(r"\s+")
_VULGAR = re.compile("[¼-¾⅐-⅞]")
_SHORT_CHARACTERS = 24
_SPEAKS_OF_CASE = re.compile(r"\b(?:upper|lower)[- ]?case|\bcapital|\bcase[- ](?:in)?sensitiv", re.IGNORECASE)


def normal_form(text: str) -> str:
    r"""`text` with equal spelling for equal content: composed Unicode, one space, case folded outside literals.

    Superscripts stay superscripts and literal text keeps its case and spaces, since both can change the task;
    so does the case of a text that is short or speaks of case.

    >>> normal_form("Add the numbers  2 and 3.\n") == normal_form("add THE numbers 2 and 3.")
    True
    """
    text = unicodedata.normalize("NFC", text).replace("’", "'").replace("‘", "'")
    keeps_case = len(text) < _SHORT_CHARACTERS or speaks_of_case(text)
    parts: list[str] = []
    end = 0
    for match in _LITERAL.finditer(text):
        parts += [_spelled(text[end : match.start()], keeps_case), match.group()]
        end = match.end()
    parts.append(_spelled(text[end:], keeps_case))
    return "".join(parts).strip()


def speaks_of_case(text: str) -> bool:
    """Whether the task is about upper and lower case, so that case is content."""
    return _SPEAKS_OF_CASE.search(text) is not None


def _spelled(text: str, keeps_case: bool) -> str:
    text = _SPACE.sub(" ", text)
    return text if keeps_case else text.casefold()


@lru_cache(maxsize=1 << 18)
def canonical_word(word: str) -> str:
    """The word that stands for `word`, its inflections and its listed synonyms."""
    root = stem(word)
    return CANONICAL.get(word) or CANONICAL.get(root) or root


def one_number(text: str) -> str:
    """A number in one spelling; leading zeros stay, since they matter in strings of digits."""
    percent = "%" if text.endswith("%") else ""
    text = text.rstrip("%").replace(",", "")
    if "." in text:
        text = text.rstrip("0").rstrip(".") or "0"
        text = "0" + text if text.startswith(".") else text
    return text + percent


def spoken_number(words: Sequence[str], at: int) -> tuple[int, int]:
    """The number said by `words[at:]` and how many words say it."""
    total, current, used = 0, 0, 0
    while at + used < len(words):
        word = words[at + used]
        if word in NUMBER_WORDS:
            if used and (current % 10 or NUMBER_WORDS[word] >= 10) and current % 100:
                break
            current += NUMBER_WORDS[word]
        elif word in MAGNITUDES and used:
            scale = MAGNITUDES[word]
            if scale == 100:
                current = max(current, 1) * 100
            else:
                total, current = total + max(current, 1) * scale, 0
        else:
            break
        used += 1
    return total + current, used


def plain_signs(text: str) -> str:
    """`text` with composed letters, an ASCII minus and written-out fractions."""
    text = unicodedata.normalize("NFC", text).replace("−", "-")
    return _VULGAR.sub(lambda match: _fraction(match.group()), text)


def _fraction(mark: str) -> str:
    """`¾` as ` 3/4`, apart from a whole number before it."""
    return " " + unicodedata.normalize("NFKC", mark).replace("⁄", "/")
