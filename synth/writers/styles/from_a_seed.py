"""Styles that start from a known task: harder, easier, in other words, in another field."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from synth.engines import Ask
from synth.writers.forms import ORDER, QUESTION, read_question
from synth.writers.style import Commission, Draft, Rejection, style

SYSTEM = "You write exercises with one exact answer that a program can check."


class _FromSeed:
    """Asks for a task made out of the parent's; `WISH` says how it differs, `STEP` how its level does."""

    WISH: ClassVar[str]
    STEP: ClassVar[int] = 0

    def ask(self, commission: Commission) -> Ask:
        parent = commission.parent
        shown = f"Task:\n{parent.prompt}\n\nIts answer: {parent.gold}" if parent else ""
        return Ask(prompt=f"{shown}\n\n{self.WISH}\n{ORDER}", system=SYSTEM, schema=QUESTION, max_tokens=1024)

    def read(self, text: str, commission: Commission) -> Draft | Rejection:
        made = read_question(text)
        if isinstance(made, Rejection):
            return made
        return replace(made, level=max(0, commission.level + self.STEP))


@style("harder", version=1, needs=("parent",))
class Harder(_FromSeed):
    """A task that takes one step more."""

    WISH = "Write a new task of the same kind that takes at least one more step of reasoning than this one."
    STEP = 1


@style("easier", version=1, needs=("parent",))
class Easier(_FromSeed):
    """A task that takes one step less."""

    WISH = "Write a new task of the same kind that takes one step of reasoning less than this one."
    STEP = -1


@style("new_surface", version=1, needs=("parent",))
class NewSurface(_FromSeed):
    """The same structure under other words and numbers."""

    WISH = "Write a new task with the same structure, but another story, other names and other numbers."


@style("new_domain", version=1, needs=("parent",))
class NewDomain(_FromSeed):
    """The same idea in another field."""

    WISH = "Write a new task that needs the same idea, set in a quite different field of knowledge."
