"""What a text says, taken apart: what must be equal exactly, and the words that may be worded otherwise."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from blake3 import blake3

from synth.dedup.lexicon import (
    CANONICAL,
    FUNCTION_WORDS,
    MAGNITUDES,
    NEGATIONS,
    NUMBER_WORDS,
    POLES,
    RATIO_WORDS,
    stem,
    words_in,
)

_LITERAL_PATTERN = r"""
      (?P<code>```.*?(?:```|\Z)|`[^`\n]+`)
    | (?P<quoted>"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|(?<!\w)'[^'\n]{1,200}'(?!\w)|(?<!\w)‘[^’\n]{1,200}’(?!\w))
    | (?P<latex>\$[^$\n]*[\\^_={}][^$\n]*\$|\\\(.*?\\\)|\\\[.*?\\\])
"""
_LITERAL = re.compile(_LITERAL_PATTERN, re.VERBOSE | re.DOTALL)
_TOKEN = re.compile(
    _LITERAL_PATTERN
    + r"""
    | (?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:%(?!\s*[\d(]))?|(?<![\w.])\.\d+)
    | (?P<symbol>\\[A-Za-z]+|[A-Za-z]\w*[\d_]\w*|_\w+|[a-z]+[A-Z]\w*|[A-Z]{2,}[a-z]\w*|[A-Z][a-z]*[A-Z][a-z]\w*)
    | (?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)
    | (?P<operator>[-+*/^=<>≤≥≠≈×÷·√∑∏∫±²³¹⁰⁴-⁹₀-₉|&~@%!:−]+)
    | (?P<bracket>[()\[\]{}])
    """,
    re.VERBOSE | re.DOTALL,
)
_SPACE = re.compile(r"\s+")
_HYPHENS = frozenset("-")
_VULGAR = re.compile("[¼-¾⅐-⅞]")
_SHORT_CHARACTERS = 24
_SPEAKS_OF_CASE = re.compile(r"\b(?:upper|lower)[- ]?case|\bcapital|\bcase[- ](?:in)?sensitiv", re.IGNORECASE)
_PRONOUN_ONE = words_in("each another this that every no any which the")
_LATER_IN_SENTENCE = frozenset(".?!:\n")


@dataclass(frozen=True, slots=True)
class Reading:
    """One text taken apart.

    `literals` are code, quotations, formulas and symbols in order; `numbers` all numbers in order with their
    units (the word after); `names` the capitalised words inside sentences; `words` canonical content words in
    order; `poles` (axis, pole) pairs; `exact` identifies everything that duplicates must have in common.
    """

    text: str
    n_words: int
    numbers: tuple[tuple[str, str], ...]
    literals: tuple[str, ...]
    n_negations: int
    poles: frozenset[tuple[int, int]]
    names: tuple[str, ...]
    words: tuple[str, ...]
    exact: bytes


def normal_form(text: str) -> str:
    r"""`text` with equal spelling for equal content: composed Unicode, one space, case folded outside literals.

    Superscripts stay superscripts and literal text keeps its case and spaces, since both can change the task;
    so does the case of a text that is short or speaks of case.

    >>> normal_form("Add the numbers  2 and 3.\n") == normal_form("add THE numbers 2 and 3.")
    True
    """
    text = unicodedata.normalize("NFC", text).replace("’", "'").replace("‘", "'")
    keeps_case = len(text) < _SHORT_CHARACTERS or _SPEAKS_OF_CASE.search(text) is not None
    parts: list[str] = []
    end = 0
    for match in _LITERAL.finditer(text):
        parts += [_spelled(text[end : match.start()], keeps_case), match.group()]
        end = match.end()
    parts.append(_spelled(text[end:], keeps_case))
    return "".join(parts).strip()


def _spelled(text: str, keeps_case: bool) -> str:
    text = _SPACE.sub(" ", text)
    return text if keeps_case else text.casefold()


def canonical_word(word: str) -> str:
    """The word that stands for `word`, its inflections and its listed synonyms."""
    root = stem(word)
    return CANONICAL.get(word) or CANONICAL.get(root) or root


def _number(text: str) -> str:
    """A number in one spelling; leading zeros stay, since they matter in strings of digits."""
    percent = "%" if text.endswith("%") else ""
    text = text.rstrip("%").replace(",", "")
    if "." in text:
        text = text.rstrip("0").rstrip(".") or "0"
        text = "0" + text if text.startswith(".") else text
    return text + percent


def _spoken(words: Sequence[str], at: int) -> tuple[int, int]:
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


def _fraction(mark: str) -> str:
    """`¾` as ` 3/4`, apart from a whole number before it."""
    return " " + unicodedata.normalize("NFKC", mark).replace("⁄", "/")


class _Reader:
    """Walks the tokens of one text once."""

    def __init__(self, text: str) -> None:
        text = unicodedata.normalize("NFC", text).replace("−", "-")
        self.text = _VULGAR.sub(lambda match: _fraction(match.group()), text)
        self.numbers: list[tuple[str, str]] = []
        self.literals: list[str] = []
        self.names: list[str] = []
        self.words: list[str] = []
        self.poles: set[tuple[int, int]] = set()
        self.n_negations = self.n_words = 0
        self.span: list[tuple[str, str]] = []
        self.spoken: list[tuple[str, bool]] = []

    def read(self) -> Reading:
        text = self.text
        for match in _TOKEN.finditer(text):
            kind, token = match.lastgroup or "", match.group()
            if kind == "operator" and self._is_punctuation(match.start(), match.end(), token):
                self._end_span()
            elif kind == "word" and self._is_spoken(token, match.start()):
                self._end_span()
                self.spoken.append((token, self._starts_sentence(match.start())))
            else:
                self._end_words()
                if kind in ("code", "quoted", "latex"):
                    self._end_span()
                    self.literals.append(token)
                    self.n_words += len(token.split())
                else:
                    self.span.append((kind, token))
        self._end_span()
        self._end_words()
        numbers = tuple(self.numbers)
        common = (sorted(number for number, _ in numbers), self.literals, self.n_negations)
        exact = blake3(repr(common).encode("utf-8", "surrogatepass")).digest(8)
        return Reading(
            self.text, self.n_words, numbers, tuple(self.literals), self.n_negations,
            frozenset(self.poles), tuple(self.names), tuple(self.words), exact,
        )  # fmt: skip

    def _is_punctuation(self, start: int, end: int, token: str) -> bool:
        before = self.text[start - 1] if start else " "
        after = self.text[end] if end < len(self.text) else " "
        if token == "!":
            return not before.isdigit()
        if token == ":":
            return not (before.isdigit() and after.isdigit())
        if token in _HYPHENS:
            return before.isalnum() and after.isalpha()
        return False

    def _starts_sentence(self, start: int) -> bool:
        before = (
            self.text[:start].rstrip(" \t\"'“‘(*-")[-1:]
            if start < 4
            else self.text[start - 4 : start].rstrip(" \t\"'“‘(*-")[-1:]
        )
        return not before or before in _LATER_IN_SENTENCE

    def _is_spoken(self, token: str, start: int) -> bool:
        if len(token) > 1:
            return True
        article = token in "aI" or (token == "A" and self._starts_sentence(start))
        return article and not (self.span and self.span[-1][0] in ("operator", "bracket"))

    def _end_span(self) -> None:
        if not self.span:
            return
        kinds = {kind for kind, _ in self.span}
        operands = kinds & {"number", "symbol", "word"}
        for kind, token in self.span:
            if kind == "number":
                self.numbers.append((_number(token), ""))
                self.n_words += 1
        if "operator" in kinds and operands:
            self.literals.append("".join(token for _, token in self.span))
            self.n_words += sum(kind in ("symbol", "word") for kind, _ in self.span)
        else:
            symbols = [token for kind, token in self.span if kind in ("symbol", "word")]
            self.literals += symbols
            self.n_words += len(symbols)
        self.span.clear()

    def _end_words(self) -> None:
        if not self.spoken:
            return
        lowered = [word.casefold().replace("’", "'") for word, _ in self.spoken]
        at = 0
        if self.numbers and self.numbers[-1][1] == "" and lowered[0] not in FUNCTION_WORDS:
            self.numbers[-1] = (self.numbers[-1][0], canonical_word(lowered[0]))
        while at < len(lowered):
            at += self._word(lowered, at)
        self.n_words += len(lowered)
        self.spoken.clear()

    def _word(self, lowered: list[str], at: int) -> int:
        word = lowered[at]
        following = lowered[at + 1] if at + 1 < len(lowered) else ""
        if word in NUMBER_WORDS and not self._means_someone(word, lowered, at):
            value, used = _spoken(lowered, at)
            unit = lowered[at + used] if at + used < len(lowered) else ""
            self.numbers.append((str(value), "" if unit in FUNCTION_WORDS else canonical_word(unit)))
            return used
        if word in RATIO_WORDS:
            self.numbers.append(
                (str(RATIO_WORDS[word]), "" if following in FUNCTION_WORDS else canonical_word(following))
            )
            return 1
        if word in MAGNITUDES:
            self.numbers.append((str(MAGNITUDES[word]), ""))
            return 1
        if word in NEGATIONS:
            self.n_negations += 1
            return 1
        if word in POLES:
            self.poles.add(POLES[word])
        token, first = self.spoken[at]
        if token[0].isupper() and not first and word not in FUNCTION_WORDS:
            self.names.append(stem(word))
        if word not in FUNCTION_WORDS:
            self.words.append(canonical_word(word))
        return 1

    @staticmethod
    def _means_someone(word: str, lowered: list[str], at: int) -> bool:
        if word != "one":
            return False
        following = lowered[at + 1] if at + 1 < len(lowered) else "of"
        return following in FUNCTION_WORDS or (at > 0 and lowered[at - 1] in _PRONOUN_ONE)


def read(text: str) -> Reading:
    """`text` taken apart.

    >>> r = read("A train goes 120 miles in two hours. How fast is it?")
    >>> r.numbers
    (('120', 'mile'), ('2', 'hour'))
    """
    return _Reader(text).read()


def bag(words: Sequence[str]) -> Counter[str]:
    """Words with how often each occurs."""
    return Counter(words)
