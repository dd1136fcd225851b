"""The gallery of families: `python -m synth.gallery > docs/gallery.md`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from synth.family import FAMILIES, Family
from synth.tasks import make_item
from warehouse.records import Domain

INTRODUCTION = """# Gallery of task families

Every family of gradatim's own, with one item of its middle level. A family is one file; its level is difficulty as
data; every answer is checked by a second algorithm that reads only the prompt. Pocket families fit the pocket
policy: prompts of at most 24 characters, bare answers of at most 12.

Written by `python -m synth.gallery > docs/gallery.md`.
"""


def gallery() -> str:
    """The page, the same for the same families."""
    pocket = [family for family in FAMILIES if family.pocket]
    others = [family for family in FAMILIES if not family.pocket]
    parts = [
        INTRODUCTION,
        _section("Pocket, mathematics", [family for family in pocket if family.domain is Domain.MATH]),
        _section("Pocket, code", [family for family in pocket if family.domain is Domain.CODE]),
        _section("Mathematics, logic, strings and data structures", [f for f in others if f.domain is Domain.MATH]),
        _section("Programs", [family for family in others if family.domain is Domain.CODE]),
    ]
    return "\n".join(parts)


def _section(title: str, families: Sequence[Family]) -> str:
    return "\n".join([f"## {title} ({len(families)})\n", *map(_entry, families)])


def _entry(family: Family) -> str:
    levels = list(family.levels)
    middle = levels[len(levels) // 2]
    item = make_item(family, level=middle, seed=0, index=0)
    summary = (inspect.getdoc(type(family)) or "").partition("\n")[0]
    return (
        f"### {family.name}\n\n{summary} Levels {levels[0]} to {levels[-1]}, version {family.version}.\n\n"
        f"```text\n{item.prompt.rstrip()}\n```\n\nA right completion at level {middle}:\n\n"
        f"```text\n{item.reference.rstrip()}\n```\n"
    )


if __name__ == "__main__":
    print(gallery(), end="")
