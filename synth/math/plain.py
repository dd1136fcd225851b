r"""Text of an answer with its wrapping taken off: dollars, spacing commands, full stops, dialects of LaTeX."""

from __future__ import annotations

import re

_DROPPED = re.compile(
    r"\\left(?![a-z])\.?|\\right(?![a-z])\.?|\\(?:displaystyle|textstyle|mathstrut|limits|boldsymbol|bigl?|bigr?|Bigl?|Bigr?)(?![a-zA-Z])"
    r"|\\[,!;:>]|\\q?quad(?![a-zA-Z])|\\\$|\$|\\[\[\]()]"
)
_SAME = (
    ("~", " "),
    ("\u2212", "-"),
    ("\u2013", "-"),
    ("\u00a0", " "),
    ("\u202f", " "),
    ("\u00d7", "\\times "),
    ("\u00b7", "\\cdot "),
    ("\u22c5", "\\cdot "),
    ("\u00f7", "\\div "),
    ("\u00b0", "^\\circ "),
    ("\u221a", "\\sqrt "),
    ("\u03c0", "\\pi "),
    ("\u221e", "\\infty "),
    ("\u2264", "\\le "),
    ("\u2265", "\\ge "),
    ("\u2260", "\\ne "),
    ("\u222a", "\\cup "),
    ("\u2208", "\\in "),
    ("\u00b1", "\\pm "),
    ("\u2019", "'"),
    ("\u00b2", "^2 "),
    ("\u00b3", "^3 "),
    ("\u00bd", "\\frac12 "),
    ("\u00bc", "\\frac14 "),
    ("\u00be", "\\frac34 "),
    ("\u2153", "\\frac13 "),
    ("\u2154", "\\frac23 "),
    ("{,}", ","),
    ("\\%", "%"),
    ("\\lvert", "|"),
    ("\\rvert", "|"),
    ("\\vert", "|"),
    ("\\mid", "|"),
    ("\\langle", "("),
    ("\\rangle", ")"),
    ("\\mathbb{R}", "(-\\infty,\\infty)"),
    ("\\dfrac", "\\frac"),
    ("\\tfrac", "\\frac"),
    ("\\cfrac", "\\frac"),
)
_ASCII_DIALECT = re.compile(r"[\\~{$]|[^\x00-\x7f]")
_SPACE_COMMAND = re.compile(r"(?<!\\)\\\s")
_SPACES = re.compile(r"\s+")
_FULL_STOP = re.compile(r"(?<=[^.])\.$")


def plain(text: str) -> str:
    r"""`text` in one dialect: no dollars, no spacing commands, one kind of minus, fraction and space, no full stop.

    >>> plain(r"$ \dfrac{1}{2}\,. $")
    '\\frac{1}{2}'
    """
    if _ASCII_DIALECT.search(text):
        for old, new in _SAME:
            if old in text:
                text = text.replace(old, new)
        text = _SPACE_COMMAND.sub(" ", _DROPPED.sub("", text))
    text = _SPACES.sub(" ", text).strip().strip("*").strip()
    return _FULL_STOP.sub("", text).strip()
