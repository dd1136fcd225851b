"""Programs of three lines with one to three faults, and the evidence that admits them. The level is how many faults.

Each kind of fault is a family of its own: `snippet` breaks lines at will, `snippet_sign` operators, and so on.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from synth.environments.makers import MAKERS, Maker
from synth.environments.snippets.faults import KINDS, N_LINES, line
from synth.environments.snippets.program import Snippet, given, remark, shown_passes, value
from synth.evidence import Subject
from synth.evidence.check import PASSED, Check, Finding, failed, task_by_task
from synth.family import Item
from synth.proposals import Proposal, Request
from synth.sandbox import Pool, Test
from synth.seeds import stream
from synth.tasks import task_of
from warehouse.records import Domain, JsonValue, Judgement, Task

NAME, VERSION = "snippet", 1
LEVELS = KINDS["any"].levels
INPUTS = range(10)
FAMILIES = {NAME if kind == "any" else f"{NAME}_{kind}": kind for kind in KINDS}
"""The kind of fault that each family is made with."""


def draft(rng: random.Random, level: int, kind: str = "any") -> Item:
    """A program and the same with `level` lines at fault; depends on `rng`, `level` and `kind` alone."""
    while True:
        right = [line(rng) for _ in range(N_LINES)]
        wrong = KINDS[kind].broken(rng, right, level)
        if sum(a != b for a, b in zip(right, wrong, strict=True)) == level:
            return item_of_program(right, wrong, rng.choice(INPUTS))


def item_of_program(right: Sequence[str], wrong: Sequence[str], start: int) -> Item:
    """The repair of `wrong` to `right`, with the check on one input, which need not show the fault yet."""
    check = f"{start}:{value(right, start)}"
    return Item(
        prompt=f"{check} got {value(wrong, start)}",
        answer_kind="program",
        reference="\n".join([check, *right]),
        scaffold=json.dumps({"remarks": [remark(line) for line in right], "text": [check, *wrong]}, sort_keys=True),
        hidden_tests=tuple(Test(args=(one,), expected=value(right, one)) for one in INPUTS),
    )


def _proposals(name: str) -> Callable[[Request, Pool], Iterator[Proposal]]:
    def proposals(request: Request, pool: Pool) -> Iterator[Proposal]:
        for index in range(request.start, request.start + request.n):
            rng = stream(name, VERSION, request.level, request.seed, index)
            item = draft(rng, request.level, FAMILIES[name])
            task = task_of_item(item, level=request.level, seed=request.seed, index=index, name=name)
            yield Proposal(request.seed, index, request.level, Subject(task, item))

    return proposals


def task_of_item(item: Item, *, level: int, seed: int, index: int, name: str = NAME) -> Task:
    """The task of one recipe of a family."""
    params: dict[str, JsonValue] = {
        "version": VERSION, "seed": seed, "index": index, "environment": NAME, "protected": ["line 0"], "faults": level,
    }  # fmt: skip
    return task_of(item, domain=Domain.AGENT, family=name, level=level, params=params)


def checks(pool: Pool) -> Sequence[Check]:
    """Evidence: the repair passes, the check shows the fault, and no part of the repair is enough."""
    return [
        Check("repair", 1, "snippet-tests", 10, task_by_task(lambda task: _repaired(task, pool)), independent=True),
        Check("fault", 1, "snippet-tests", 20, task_by_task(lambda task: _faulty(task, pool)), independent=True),
    ]


def _repaired(task: Task, pool: Pool) -> Finding:
    word = Snippet.grade(task, task.reference or "", pool)
    return PASSED if word.judgement is Judgement.PASS else failed(f"repair: {word.judgement}", detail=word.detail)


def _faulty(task: Task, pool: Pool) -> Finding:
    """The check fails as given, and every repair that leaves a faulty line as it was fails hidden tests."""
    text, right = given(task), (task.reference or "").split("\n")
    if shown_passes(text):
        return failed("fault: the check does not show it")
    places = [place for place in range(1, len(text)) if text[place] != right[place]]
    for n in range(len(places)):
        for kept in combinations(places, n):
            partly = [right[place] if place in kept else text[place] for place in range(len(text))]
            if Snippet.grade(task, "\n".join(partly), pool).judgement is Judgement.PASS:
                return failed("fault: a part of the repair is enough")
    return PASSED


for _name, _kind in FAMILIES.items():
    MAKERS.add(_name, Maker(_name, VERSION, KINDS[_kind].levels, _proposals(_name), checks), file=__file__)
