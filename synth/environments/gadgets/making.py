"""Tasks for pocket tool sets. The goal is what is asked beside the figure of a key, and the key.

Level 1: the figure of a key, beside one that is out of date. 2: converted. 3: from a tool that is busy at first.
4: with a note that must not be left out. 5: all of it. Families of names are split, so that held-out tools are unseen.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from synth.environments.budget import Budget
from synth.environments.gadgets.kit import called_as, plan_of, rules_of, turned
from synth.environments.gadgets.scripts import careful
from synth.environments.gadgets.words import FAMILIES, KEYS, MEANINGS, names_of, split_of_family
from synth.environments.makers import MAKERS, Maker
from synth.environments.running import play
from synth.environments.terse import terse_call
from synth.evidence import Subject
from synth.evidence.check import PASSED, Check, Finding, failed, task_by_task
from synth.family import Item
from synth.proposals import Proposal, Request
from synth.sandbox import Pool
from synth.seeds import stream
from synth.tasks import task_of
from warehouse.records import Domain, JsonValue, Task

VERSION = 1


class Form(NamedTuple):
    """How the names of tools are told, `found` one at a time or all `listed`, and of which families they are."""

    told: str
    kind: str


FORMS = {
    "gadget": Form("found", "known"), "gadget_listed": Form("listed", "known"),
    "gadget_foreign": Form("found", "foreign"),
}  # fmt: skip
"""The form of each family of tasks; all tasks with foreign names are held out."""
LEVELS = range(1, 6)


class Draft(NamedTuple):
    """A tool set with its goal, the right figure, and the family of its names."""

    item: Item
    family: str
    asked: tuple[str, ...]


def draft(rng: random.Random, level: int, form: Form = FORMS["gadget"]) -> Draft:
    """A draft of one level; depends on `rng`, `level` and `form` alone."""
    family = rng.choice([one for one in FAMILIES if one.startswith(form.kind)])
    names = rng.sample(names_of(family), len(MEANINGS))
    meanings = rng.sample(MEANINGS, len(MEANINGS))
    keys = sorted(rng.sample(KEYS, 3))
    figures = rng.sample(range(10, 100), 2 * len(keys))
    asked = tuple(one for one, levels in (("turn", (2, 5)), ("note", (4, 5))) if level in levels)
    plan: dict[str, Any] = {
        "tools": list(zip(meanings, names, strict=True)), "form": form.told, "offset": rng.randint(5, 85),
        "now": dict(zip(keys, figures, strict=False)), "past": dict(zip(keys, figures[len(keys) :], strict=True)),
        "fails": rng.randint(1, 2) if level in (3, 5) else 0,
    }  # fmt: skip
    key = rng.choice(keys)
    figure = plan["now"][key]
    answer = turned(figure, plan["offset"]) if "turn" in asked else figure
    listed = ",".join(f"{one} {name}" for one, name in plan["tools"])
    told = listed if form.told == "listed" else f"{rng.getrandbits(16):04x}"
    item = Item(
        prompt=f"{told}?{' '.join([*asked, key])}",
        answer_kind="integer",
        reference=str(answer),
        gold=str(answer),
        scaffold=json.dumps(plan | {"key": key, "asked": asked}, sort_keys=True),
    )
    return Draft(item, family, asked)


def task_of_draft(made: Draft, *, name: str, level: int, seed: int, index: int) -> Task:
    """The task of one recipe."""
    plan = json.loads(made.item.scaffold or "{}")
    params: dict[str, JsonValue] = {
        "version": VERSION, "seed": seed, "index": index, "environment": "gadget", "tool_family": made.family,
        "rules": rules_of(plan, made.asked),
    }  # fmt: skip
    split = split_of_family(made.family)
    return task_of(made.item, domain=Domain.AGENT, family=name, level=level, params=params, split=split)


def _proposals(name: str, form: Form) -> Callable[[Request, Pool], Iterator[Proposal]]:
    def proposals(request: Request, pool: Pool) -> Iterator[Proposal]:
        for index in range(request.start, request.start + request.n):
            made = draft(stream(name, VERSION, request.level, request.seed, index), request.level, form)
            task = task_of_draft(made, name=name, level=request.level, seed=request.seed, index=index)
            yield Proposal(request.seed, index, request.level, Subject(task, made.item))

    return proposals


def needed(task: Task) -> frozenset[str]:
    """The tools that a task's goal takes, as they are called."""
    plan = plan_of(task)
    finding = ["find"] if plan["form"] == "found" else []
    return frozenset([*finding, *(called_as(plan, one) for one in ("now", *plan["asked"])), "say", "done"])


def checks(pool: Pool) -> Sequence[Check]:
    """Evidence: the plan reaches the goal, and what is out of date or not converted does not."""
    return [
        Check("plan", 1, "tool-plan", 10, task_by_task(lambda task: _reached(task, pool)), independent=True),
        Check("guess", 1, "probes", 20, task_by_task(_guessed)),
    ]


def _reached(task: Task, pool: Pool) -> Finding:
    ticks = iter(range(10**6))
    played = play(task, careful(), pool, budget=Budget(), clock=lambda: float(next(ticks)) / 1000, read=terse_call)
    return PASSED if played.passed else failed(f"plan: {played.word.judgement}", detail=played.word.detail)


def _guessed(task: Task) -> Finding:
    plan = plan_of(task)
    now, past = plan["now"][plan["key"]], plan["past"][plan["key"]]
    wrong = {past, turned(past, plan["offset"]), *([now] if "turn" in plan["asked"] else [])}
    return failed("guess: the answer can be had from the wrong tool") if int(task.gold or 0) in wrong else PASSED


for _name, _form in FORMS.items():
    MAKERS.add(_name, Maker(_name, VERSION, LEVELS, _proposals(_name, _form), checks), file=__file__)
