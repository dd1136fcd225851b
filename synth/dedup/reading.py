"""What a text says, taken apart: what must be equal exactly, and the words that may be worded otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from blake3 import blake3

from synth.dedup.lexicon import (
    FUNCTION_WORDS,
    MAGNITUDES,
    NEGATIONS,
    NUMBER_WORDS,
    OPERATIONS,
    POLES,
    PREFACE_WORDS,
    RATIO_WORDS,
    stem,
)
from synth.dedup.spelling import LITERAL_PATTERN, canonical_word, one_number, plain_signs, speaks_of_case, spoken_number

_TOKEN = re.compile(
    LITERAL_PATTERN
    + r"""
    | (?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:%(?!\s*[\d(]))?|(?<![\w.])\.\d+)
    | (?P<run>(?:[A-Z][a-z]+|[a-z]{2,})(?:[ ](?:[a-z]{2,}|a))*(?![\w'’]))
    | (?P<symbol>\\[A-Za-z]+|[A-Za-z]\w*[\d_]\w*|_\w+|[A-Za-z]*[a-z][A-Z]\w*|[A-Z]{2,}[a-z]\w*)
    | (?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)
    | (?P<operator>[-+*/^=<>≤≥≠≈×÷·√∑∏∫±²³¹⁰⁴-⁹₀-₉|&~@%!:−]+)
    | (?P<bracket>[()\[\]{}])
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENERS = " \t\"'“‘(*-"
_SENTENCE_ENDS = frozenset(".?!:\n")


@dataclass(frozen=True, slots=True)
class Reading:
    """One text taken apart.

    `literals` are code, quotations, formulas and symbols in order; `numbers` all numbers in order with their
    units (the word after); `names` the capitalised words inside sentences; `words` canonical content words in
    order; `poles` (axis, pole) pairs; `operations` those named; `exact` identifies what duplicates must share.
    """

    n_words: int
    numbers: tuple[tuple[str, str], ...]
    literals: tuple[str, ...]
    n_negations: int
    poles: frozenset[tuple[int, int]]
    operations: frozenset[int]
    names: tuple[str, ...]
    words: tuple[str, ...]
    exact: bytes


class _Kind(IntEnum):
    CONTENT, FUNCTION, NUMBER, RATIO, MAGNITUDE, NEGATION = range(6)


class _Word(NamedTuple):
    text: str
    kind: _Kind
    canonical: str
    pole: tuple[int, int] | None
    operation: int | None


@lru_cache(maxsize=1 << 18)
def _known(token: str) -> _Word:
    word = token.casefold().replace("’", "'")
    root = stem(word)
    pole, operation = POLES.get(word, POLES.get(root)), OPERATIONS.get(word, OPERATIONS.get(root))
    for kind, words in (
        (_Kind.NUMBER, NUMBER_WORDS),
        (_Kind.RATIO, RATIO_WORDS),
        (_Kind.MAGNITUDE, MAGNITUDES),
        (_Kind.NEGATION, NEGATIONS),
        (_Kind.FUNCTION, FUNCTION_WORDS),
        (_Kind.FUNCTION, PREFACE_WORDS),
    ):
        if word in words:
            return _Word(word, kind, "" if kind is _Kind.FUNCTION else canonical_word(word), pole, operation)
    return _Word(word, _Kind.CONTENT, canonical_word(word), pole, operation)


class _Reader:
    """Walks the tokens of one text once."""

    def __init__(self, text: str) -> None:
        self.text = plain_signs(text)
        self.case_matters = speaks_of_case(text)
        self.numbers: list[tuple[str, str]] = []
        self.literals: list[str] = []
        self.names: list[str] = []
        self.words: list[str] = []
        self.poles: set[tuple[int, int]] = set()
        self.operations: set[int] = set()
        self.n_negations = self.n_words = 0
        self.span: list[tuple[str, str]] = []
        self.spoken: list[tuple[str, int]] = []

    def read(self) -> Reading:
        text = self.text
        for match in _TOKEN.finditer(text):
            kind, token = match.lastgroup or "", match.group()
            if kind == "run":
                self._end_span()
                first, *rest = token.split(" ")
                self.spoken.append((first, match.start()))
                self.spoken += [(word, -1) for word in rest]
            elif kind == "operator" and self._is_punctuation(match.start(), match.end(), token):
                self._end_span()
            elif kind == "word" and self._is_spoken(token, match.start()):
                self._end_span()
                self.spoken.append((token, match.start()))
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
            self.n_words, numbers, tuple(self.literals), self.n_negations,
            frozenset(self.poles), frozenset(self.operations), tuple(self.names), tuple(self.words), exact,
        )  # fmt: skip

    def _is_punctuation(self, start: int, end: int, token: str) -> bool:
        before = self.text[start - 1] if start else " "
        after = self.text[end] if end < len(self.text) else " "
        if token == "!":
            factorial = before.isdigit() or before == ")"
            return not factorial and not (before.isalpha() and not self.text[: start - 1][-1:].isalnum())
        if token == ":":
            return not (before.isdigit() and after.isdigit())
        if token == "-":
            return before.isalnum() and after.isalpha()
        return False

    def _starts_sentence(self, start: int) -> bool:
        before = self.text[max(0, start - 4) : start].rstrip(_OPENERS)
        return not before or before[-1] in _SENTENCE_ENDS

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
                self.numbers.append((one_number(token), ""))
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
        words = [_known(token) for token, _ in self.spoken]
        if self.numbers and not self.numbers[-1][1]:
            self.numbers[-1] = (self.numbers[-1][0], words[0].canonical)
        if self.case_matters:
            self.literals += [token for token, _ in self.spoken if token != token.lower()]
        at = 0
        while at < len(words):
            at += self._word(words, at)
        self.n_words += len(words)
        self.spoken.clear()

    def _word(self, words: Sequence[_Word], at: int) -> int:
        word = words[at]
        if word.kind is _Kind.NUMBER:
            if _means_someone(words, at):
                return 1
            value, used = spoken_number([word.text for word in words[at : at + 12]], 0)
            self.numbers.append((str(value), words[at + used].canonical if at + used < len(words) else ""))
            return used
        if word.kind is _Kind.RATIO or word.kind is _Kind.MAGNITUDE:
            said = RATIO_WORDS.get(word.text) or MAGNITUDES[word.text]
            self.numbers.append((str(said), words[at + 1].canonical if at + 1 < len(words) else ""))
            return 1
        if word.kind is _Kind.NEGATION:
            self.n_negations += 1
            return 1
        if word.pole is not None:
            self.poles.add(word.pole)
        if word.operation is not None:
            self.operations.add(word.operation)
        if word.kind is not _Kind.FUNCTION:
            token, start = self.spoken[at]
            if token[0].isupper() and not self._starts_sentence(start):
                self.names.append(stem(word.text))
            self.words.append(word.canonical)
        return 1


def _means_someone(words: Sequence[_Word], at: int) -> bool:
    """Whether `one` stands for somebody or something, or for an article: it says a number only before a magnitude."""
    return words[at].text == "one" and not (at + 1 < len(words) and words[at + 1].kind is _Kind.MAGNITUDE)


def read(text: str) -> Reading:
    """`text` taken apart.

    >>> r = read("A train goes 120 miles in two hours. How fast is it?")
    >>> r.numbers
    (('120', 'mile'), ('2', 'hour'))
    """
    return _Reader(text).read()
