r"""Tokens of a mathematical text, behind the cost gate.

Covered: length, number of tokens, nesting and digit runs are bounded before anything is parsed.
Not covered: the cost of what the expression *means* (power towers, factorials); `value` and the workers bound that.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from synth.math.equality import MathError

MAX_CHARACTERS = 3000
MAX_TOKENS = 800
MAX_NESTING = 40
MAX_DIGIT_RUN = 1000


class TooCostly(MathError):
    """The text is longer, deeper or larger than any answer worth parsing."""


class Token(NamedTuple):
    """A number, a name, a command or an operator, and whether a space came before it."""

    kind: str
    text: str
    spaced: bool


_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<num>\d+(?:\.\d+)?|\.\d+)|(?P<cmd>\\[A-Za-z]+|\\[{}|\\])|(?P<word>[A-Za-z]+)"
    r"|(?P<op>\*\*|<=|>=|!=|[-+*/^_()\[\]{}|,;:=<>!%&'])"
)
_TEXT = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mbox|operatorname|rm)\s*\{([^{}\\]*)\}")
_FIGURE = re.compile(
    r"\\(vec|overrightarrow|overline|hat|widehat|triangle|angle)\s*(?:\{\s*([A-Za-z]{1,6})\s*\}|([A-Z]{1,4})(?![A-Za-z]))"
)
_JOINERS = {"and": ",", "or": ","}
_FUNCTIONS = frozenset(
    {"sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "log", "ln"}
    | {"exp", "sqrt", "abs", "asin", "acos", "atan", "lg", "binom", "gcd", "lcm"}
)
_NAMES = _FUNCTIONS | {"pi", "infty", "inf", "infinity", "oo", "and", "or", "in"}
MAX_PRODUCT_LETTERS = 3
"""Letters side by side that are read as a product of variables; a longer run is a word."""


def _text_group(match: re.Match[str]) -> str:
    inner = match[1].strip()
    if inner in _JOINERS:
        return _JOINERS[inner]
    if inner in _FUNCTIONS:
        return f"\\{inner} "
    return f" {inner} " if len(inner) == 1 else f"\\word{{{inner}}}"


def tokenize(text: str) -> list[Token]:
    r"""The tokens of `text` (in the dialect of `plain`); raises `TooCostly` or `MathError`.

    >>> [token.text for token in tokenize(r"2xy+\sin 3")]
    ['2', 'x', 'y', '+', '\\sin', '3']
    """
    if len(text) > MAX_CHARACTERS:
        raise TooCostly(f"{len(text)} characters, at most {MAX_CHARACTERS}")
    text = _TEXT.sub(_text_group, text)
    text = _FIGURE.sub(lambda figure: f"\\word{{{figure[1]} {figure[2] or figure[3]}}}", text)
    found: list[Token] = []
    place, spaced, depth, after_word = 0, False, 0, False
    while place < len(text):
        if text.startswith("\\word{", place):
            end = text.index("}", place)
            found.append(Token("word", text[place + 6 : end].strip(), spaced))
            place, spaced = end + 1, False
            continue
        match = _TOKEN.match(text, place)
        if match is None:
            raise MathError(f"a character outside the grammar: {text[place]!r}")
        place, piece = match.end(), match[0]
        if match.lastgroup == "space":
            spaced = True
            continue
        after_word = after_word and match.lastgroup == "word"
        depth += (piece in ("(", "[", "{", "\\{")) - (piece in (")", "]", "}", "\\}"))
        if depth > MAX_NESTING:
            raise TooCostly(f"nested deeper than {MAX_NESTING}")
        if match.lastgroup == "word":
            wordy = len(piece) > 1 and piece.casefold() not in _NAMES
            if wordy and after_word and spaced:
                raise MathError(f"words side by side: {piece[:40]}")
            after_word = wordy
            found.extend(_names(piece, spaced))
        elif match.lastgroup == "num" and len(piece) > MAX_DIGIT_RUN:
            raise TooCostly(f"a number of {len(piece)} digits, at most {MAX_DIGIT_RUN}")
        else:
            found.append(Token(match.lastgroup or "op", piece, spaced))
        spaced = False
        if len(found) > MAX_TOKENS:
            raise TooCostly(f"more than {MAX_TOKENS} tokens")
    return found


def _names(run: str, spaced: bool) -> list[Token]:
    """A run of letters: a function or constant by name, a product of variables, or a word."""
    lower = run.lower()
    if lower in _NAMES:
        name = {"and": ",", "or": ",", "inf": "\\infty", "oo": "\\infty", "infinity": "\\infty"}.get(
            lower, f"\\{lower}"
        )
        return [Token("op" if name == "," else "cmd", name, spaced)]
    if len(run) <= MAX_PRODUCT_LETTERS:
        return [Token("name", letter, spaced and i == 0) for i, letter in enumerate(run)]
    for name in ("sqrt", "pi"):
        if lower.startswith(name) and len(run) - len(name) <= MAX_PRODUCT_LETTERS:
            rest = [Token("name", letter, False) for letter in run[len(name) :]]
            return [Token("cmd", f"\\{name}", spaced), *rest]
    return [Token("word", run, spaced)]
