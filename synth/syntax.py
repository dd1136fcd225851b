"""Syntax trees, one at a time: Python 3.11 keeps one recursion counter for all threads that build them.

When the interpreter changes threads in the middle of `ast.parse`, another thread's tree moves that counter, and the
first call ends in `SystemError: AST constructor recursion depth mismatch`.
"""

from __future__ import annotations

import ast
import threading

_ONE = threading.RLock()


def tree_of(source: str) -> ast.Module:
    """The tree of a program; safe from several threads.

    Raises `SyntaxError` for what is no program or nested too deep for one, `ValueError` for text that holds NUL.
    """
    with _ONE:
        try:
            return ast.parse(source)
        except (MemoryError, RecursionError):
            raise SyntaxError("nested too deep") from None


def expression_of(source: str) -> ast.expr:
    """The tree of one expression; as `tree_of`."""
    with _ONE:
        try:
            return ast.parse(source, mode="eval").body
        except (MemoryError, RecursionError):
            raise SyntaxError("nested too deep") from None
