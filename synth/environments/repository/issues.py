"""Issue texts: what someone who uses the package would report, by templates; the fault itself is never named."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from synth.environments.repository.draft import Draft, shown
from synth.sandbox import Test
from warehouse.records import content_hash


class Symptom(NamedTuple):
    """A visible call that goes wrong: what it gives, or what it raises."""

    test: Test
    found: str
    raised: bool


EXACT = (
    "{call} {gave}. I expected {expected}.",
    "I ran into this today: {call} {gave}, but it should be {expected}.",
    "Wrong result in `{package}`: {call} {gave} instead of {expected}.",
    "Since the last change {call} {gave}. Before it was {expected}, which is right.",
)
VAGUE = (
    "`{function}` in `{package}` gives wrong results for some inputs.",
    "Something is off with `{function}`: a few of its tests fail now. Please have a look.",
    "Users of `{package}` complain about `{function}`. I have not found out when it happens.",
)
TASK = (
    "Repair the package so that all of its functions do what their docstrings say. More tests than those in the tests "
    "folder will be run on your patch. Change files of `{package}/` only; the tests are right. "
    "The revision is {revision}."
)


def issue(rng: random.Random, draft: Draft, symptoms: Sequence[Symptom], level: int) -> str:
    """The issue for a draft whose `symptoms` were seen; higher levels say less."""
    first = rng.choice(list(symptoms))
    words = {
        "call": shown(first.test),
        "gave": f"raises {first.found}" if first.raised else f"gives {first.found}",
        "expected": repr(first.test.expected),
        "package": draft.package,
        "function": first.test.args[1],
        "revision": content_hash(dict(draft.broken))[:10],
    }
    template = rng.choice(EXACT if level <= 2 or rng.random() < 0.4 else VAGUE)
    return f"{template.format(**words)}\n\n{TASK.format(**words)}"
