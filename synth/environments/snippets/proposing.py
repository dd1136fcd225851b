"""The proposer's side of a program game: a text that is a program, a broken copy and an input, and what it is worth.

A proposal becomes a repair task and passes the evidence of any other: the repair passes, the check shows the fault,
and no part of the repair is enough. What it is worth is how learnable it is at the solver's frontier.
"""

from __future__ import annotations

import re

from synth.environments.snippets.making import LEVELS, draft, item_of_program, task_of_item
from synth.environments.snippets.program import given
from synth.evidence import Subject
from synth.proposals import Generator, Proposal
from synth.seeds import stream
from warehouse.records import Task

GENERATOR = Generator("proposer", "model", "1", "pocket")
_TEXT = re.compile(r"((?:[+*-][0-9]){3}) ((?:[+*-][0-9]){3}) ([0-9])")
UNREADABLE = "proposal: not a program, a broken copy and an input"
NO_FAULT = "proposal: the copy is the program itself"


def proposed(text: str, *, seed: int, index: int) -> Proposal:
    """The attempt that a text is: `+3*2-1 +3*4-1 5` breaks the second line and shows it on input 5."""
    found = _TEXT.fullmatch(text.strip())
    if found is None:
        return Proposal(seed, index, 0, None, UNREADABLE)
    right, wrong = ([found[part][i : i + 2] for i in range(0, 6, 2)] for part in (1, 2))
    level = sum(a != b for a, b in zip(right, wrong, strict=True))
    if level == 0:
        return Proposal(seed, index, 0, None, NO_FAULT)
    item = item_of_program(right, wrong, int(found[3]))
    return Proposal(seed, index, level, Subject(task_of_item(item, level=level, seed=seed, index=index), item))


def written(task: Task) -> str:
    """A repair task as the text that proposes it: what a proposer first imitates."""
    right, text = (task.reference or "").split("\n"), given(task)
    return f"{''.join(right[1:])} {''.join(text[1:])} {text[0][0]}"


def demonstrations(n: int, *, seed: int) -> list[tuple[str, str]]:
    """(prompt, proposal) pairs of our own generator's drafts, levels in turn; a function of its arguments alone."""
    rng = stream("proposals", seed)
    pairs = []
    for k in range(n):
        level = list(LEVELS)[k % len(LEVELS)]
        pairs.append((prompt(level), written(task_of_item(draft(rng, level), level=level, seed=seed, index=k))))
    return pairs


def prompt(level: int) -> str:
    """What a proposer is asked: a task with so many faults."""
    return f"faults {level}?"


def learnability(n: int, c: int) -> float:
    """4 p (1 - p) with p = c / n, in [0, 1]: 1 where a solver succeeds half the time, 0 where always or never.

    >>> learnability(8, 4), learnability(8, 8), learnability(0, 0)
    (1.0, 0.0, 0.0)
    """
    return 4 * c * (n - c) / (n * n) if n else 0.0
