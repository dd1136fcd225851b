"""Questions on programs: attempts, and the evidence that admits them. A level is a kind of question."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from itertools import product

from synth.environments.makers import MAKERS, Maker
from synth.environments.riddles.riddle import KINDS, Riddle
from synth.environments.snippets.faults import N_LINES, line
from synth.environments.snippets.program import value
from synth.evidence import Subject
from synth.evidence.check import PASSED, Check, Finding, failed, task_by_task
from synth.family import Item
from synth.proposals import Proposal, Request
from synth.sandbox import Pool, Test, load_tests
from synth.seeds import stream
from synth.tasks import task_of
from warehouse.records import Domain, JsonValue, Judgement, Task

NAME, VERSION = "riddle", 1
LEVELS = range(1, len(KINDS) + 1)
INPUTS = range(10)
MOST_INPUTS = 2
"""Most inputs of ten that may answer what is abduced: more can be guessed."""


def draft(rng: random.Random, level: int) -> Item:
    """A question of one kind; depends on `rng` and `level` alone."""
    return item_of_question(KINDS[level - 1], *drawn(rng))


def drawn(rng: random.Random) -> tuple[list[str], list[int]]:
    """A program and three inputs."""
    return [line(rng) for _ in range(N_LINES)], rng.sample(INPUTS, 3)


def item_of_question(kind: str, program: Sequence[str], starts: Sequence[int]) -> Item:
    """The question of a kind about a program: on the first input, or on the pairs of all of them."""
    text, output = "".join(program), value(program, starts[0])
    prompt, gold = {
        "deduce": (f"{text} {starts[0]}>?", str(output)),
        "abduce": (f"{text} ?>{output}", str(output)),
        "induce": (" ".join(f"{one}>{value(program, one)}" for one in starts), text),
    }[kind]
    return Item(
        prompt=prompt,
        answer_kind="riddle",
        gold=gold,
        reference={"deduce": str(output), "abduce": str(starts[0]), "induce": text}[kind],
        scaffold=json.dumps({"kind": kind, "shown": list(starts)}, sort_keys=True),
        hidden_tests=tuple(Test(args=(one,), expected=value(program, one)) for one in INPUTS),
    )


def task_of_question(item: Item, *, level: int, seed: int, index: int) -> Task:
    """The task of one recipe."""
    params: dict[str, JsonValue] = {"version": VERSION, "seed": seed, "index": index, "environment": NAME}
    return task_of(item, domain=Domain.AGENT, family=NAME, level=level, params=params)


def proposals(request: Request, pool: Pool) -> Iterator[Proposal]:
    """The attempts of one request."""
    for index in range(request.start, request.start + request.n):
        item = draft(stream(NAME, VERSION, request.level, request.seed, index), request.level)
        task = task_of_question(item, level=request.level, seed=request.seed, index=index)
        yield Proposal(request.seed, index, request.level, Subject(task, item))


def checks(pool: Pool) -> Sequence[Check]:
    """Evidence: execution confirms the answer, and nothing gives it away."""
    return [
        Check("answer", 1, "riddle-tests", 10, task_by_task(lambda task: _answered(task, pool)), independent=True),
        Check("guess", 1, "probes", 20, task_by_task(_guessed), independent=True),
    ]


def _answered(task: Task, pool: Pool) -> Finding:
    word = Riddle.grade(task, task.reference or "", pool)
    return PASSED if word.judgement is Judgement.PASS else failed(f"answer: {word.judgement}", detail=word.detail)


def _guessed(task: Task) -> Finding:
    """The output depends on the input and is not the input, few inputs have it, and the pairs leave one program.

    Programs of these operators are x -> a x + b modulo ten, so that a hundred programs are all that there are.
    """
    asked = json.loads(task.scaffold or "{}")
    tests = load_tests(task.hidden_tests or "[]")
    outputs = [int(str(one.expected)) for one in tests]
    if len(set(outputs)) == 1 or outputs == list(INPUTS):
        return failed("guess: the program says the same of every input, or nothing")
    if asked["kind"] == "abduce" and outputs.count(int(task.gold or -1)) > MOST_INPUTS:
        return failed("guess: many inputs have this output")
    if asked["kind"] == "induce":
        fits = [(a, b) for a, b in product(INPUTS, INPUTS)
                if all((a * one + b) % 10 == outputs[one] for one in asked["shown"])]  # fmt: skip
        if len(fits) > 1:
            return failed("guess: the pairs fit several programs")
    return PASSED


MAKERS.add(NAME, Maker(NAME, VERSION, LEVELS, proposals, checks), file=__file__)
