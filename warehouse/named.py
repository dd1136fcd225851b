"""Named queries: one file of `warehouse/sql` each, with its grain, its keys and its parameters in the header."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from warehouse.errors import UserError, unknown_name

SQL = Path(__file__).parent / "sql"
_PARAM = re.compile(r"^-- param (\w+)(?: = (.*?))?: (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class NamedQuery:
    """One query: what it answers, its text, and its parameters with their defaults (`None`: must be given).

    `meanings` says what each parameter is.
    """

    name: str
    meaning: str
    sql: str
    params: Mapping[str, str | None]
    meanings: Mapping[str, str]

    def bind(self, given: Mapping[str, object]) -> dict[str, object]:
        """The values to bind; raises `UserError` for a parameter that is unknown or missing."""
        for name in given:
            if name not in self.params:
                raise unknown_name(
                    f"parameter of '{self.name}'", name, self.params, f"gradatim sql --named {self.name}"
                )
        missing = [n for n, default in self.params.items() if default is None and n not in given]
        if missing:
            raise UserError(
                f"query '{self.name}' needs {missing[0]}; "
                f"see: gradatim sql --named {self.name} --param {missing[0]}=..."
            )
        return {name: given.get(name, default) for name, default in self.params.items()}


@cache
def named_queries() -> dict[str, NamedQuery]:
    """Every named query by its name."""
    return {file.stem: _parse(file) for file in sorted(SQL.glob("*.sql"))}


def named_query(name: str) -> NamedQuery:
    """The query called `name`; raises `UserError` with the nearest names when there is none."""
    known = named_queries()
    if name not in known:
        raise unknown_name("named query", name, known, "gradatim tables")
    return known[name]


def _parse(file: Path) -> NamedQuery:
    text = file.read_text("utf-8")
    first = text.splitlines()[0].removeprefix("-- ")
    params = {name: default for name, default, _ in _PARAM.findall(text)}
    meanings = {name: meaning for name, _, meaning in _PARAM.findall(text)}
    return NamedQuery(file.stem, first, text.rstrip().rstrip(";"), {n: d or None for n, d in params.items()}, meanings)
