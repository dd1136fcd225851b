"""Programs whose behaviour is known by running them: the references of imported code tasks, on new inputs."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from synth.evidence.mutation import mutants
from synth.graders import Judge
from synth.grown.inputs import nearby
from synth.sandbox import Limits, Output, Pool, Test, load_tests
from synth.seeds import stream
from warehouse.records import Judgement, Task

LIMITS = Limits(cpu_s=0.5)
N_INPUTS = 12
N_MUTANTS = 8
MOST_BITS = 14_000
"""Of an integer that Python still writes."""
LONGEST = 1500
"""Characters of a program that a question may show."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A mutant that some call tells from the reference, and the first such call."""

    program: str
    shown: Test


@dataclass(frozen=True, slots=True)
class Known:
    """A parent task, its whole program, what it returns for new inputs, and mutants that behave differently."""

    parent: Task
    program: str
    entry: str
    calls: tuple[Test, ...]
    broken: tuple[Broken, ...]


def known_programs(parents: Sequence[Task], judge: Judge, *, seed: int) -> list[Known | str]:
    """For each parent what is known of its program, or the reason why nothing is; runs in the sandbox."""
    with ThreadPoolExecutor(4, thread_name_prefix="known") as threads:
        return list(threads.map(lambda parent: _known(parent, judge.pool, seed), parents))


def _known(parent: Task, pool: Pool, seed: int) -> Known | str:
    program = (parent.scaffold or "{completion}").replace("{completion}", parent.reference or "")
    tests = [test for test in load_tests(parent.hidden_tests or "[]") if is_shown(test)]
    if not tests:
        return "program: no test shows an input"
    if len(program) > LONGEST:
        return "program: too long to show"
    rng = stream("known_programs", parent.task_id, seed)
    inputs = _inputs([test.args for test in tests], rng)
    outputs = _run(pool, program, parent.entry or "", inputs)
    calls = tuple(
        Test(args=args, expected=output.value, equality="python")
        for args, output in zip(inputs, outputs, strict=False)
        if output.raised is None and is_literal(output.value)
    )
    if len(calls) < 3:
        return "program: fails on nearby inputs"
    return Known(parent, program, parent.entry or "", calls, _broken(pool, program, parent, calls, rng))


def is_shown(test: Test) -> bool:
    """Whether a test is a call that a question can show, with what it returns."""
    return not test.check and not test.kwargs and is_literal(test.args) and is_literal(test.expected)


def is_literal(value: object) -> bool:
    """Whether a value stands in a program as Python writes it: no infinity, no integer of more than 4,300 digits.

    >>> is_literal([1, "inf"]), is_literal({"a": float("inf")}), is_literal(10**5000)
    (True, False, False)
    """
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return value.bit_length() < MOST_BITS
    if isinstance(value, dict):
        return all(map(is_literal, value)) and all(map(is_literal, value.values()))
    return not isinstance(value, list | tuple | set | frozenset) or all(map(is_literal, value))


def _inputs(known: list[tuple[Any, ...]], rng: random.Random) -> list[tuple[Any, ...]]:
    seen = {repr(args) for args in known}
    found: list[tuple[Any, ...]] = []
    for _ in range(4 * N_INPUTS):
        args = nearby(rng.choice([*known, *found]), rng)
        if repr(args) not in seen and len(repr(args)) <= 200:
            seen.add(repr(args))
            found.append(args)
        if len(found) == N_INPUTS:
            break
    return found


def _run(pool: Pool, program: str, entry: str, inputs: Sequence[tuple[Any, ...]]) -> tuple[Output, ...]:
    if not inputs:
        return ()
    return pool.run(program, [Test(args=args) for args in inputs], entry=entry, limits=LIMITS).outputs


def _broken(pool: Pool, program: str, parent: Task, calls: tuple[Test, ...], rng: random.Random) -> tuple[Broken, ...]:
    edits = mutants(program)
    found = []
    for edit in rng.sample(edits, min(N_MUTANTS, len(edits))):
        ran = pool.run(edit, [Test(args=call.args) for call in calls], entry=parent.entry or "", limits=LIMITS)
        if ran.verdict not in (Judgement.PASS, Judgement.EXCEPTION):
            continue
        wrong = [
            call
            for call, output in zip(calls, ran.outputs, strict=False)
            if output.raised is None and (type(output.value), output.value) != (type(call.expected), call.expected)
        ]
        if wrong:
            found.append(Broken(edit, wrong[0]))
    return tuple(found)
