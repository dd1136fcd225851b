"""The root of every error that gradatim raises on purpose."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LISTED = 12
"""Known names that a message lists at most."""


class GradatimError(Exception):
    """Something that gradatim can name went wrong; one subclass stands for each boundary."""


class UserError(GradatimError):
    """The request cannot be carried out as asked; printed as one line, without a traceback, exit code 2.

    The message says what happened, the value, what is allowed and the next command.
    """


def unknown_name(what: str, name: str, known: Iterable[str], see: str) -> UserError:
    """A `UserError` for a name nobody registered, with the nearest known names and where to look next.

    Known names are listed as far as a line holds them: up to `LISTED`.

    >>> str(unknown_name("family", "sorts", ["sort", "rev"], "gradatim tables"))
    "unknown family 'sorts'; nearest: sort; known: rev, sort; see: gradatim tables"
    """
    names = sorted(set(known))
    near = difflib.get_close_matches(name, names, n=3)
    nearest = f"; nearest: {', '.join(near)}" if near else ""
    listed = ", ".join(names) if names else "none"
    told = listed if len(names) <= LISTED else f"{len(names)} names"
    return UserError(f"unknown {what} '{name}'{nearest}; known: {told}; see: {see}")
