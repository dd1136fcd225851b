"""Programs whose behaviour is known by running them: the references of imported code tasks, on new inputs."""

from __future__ import annotations

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
    tests = [test for test in load_tests(parent.hidden_tests or "[]") if not test.check and not test.kwargs]
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
        if output.raised is None
    )
    if len(calls) < 3:
        return "program: fails on nearby inputs"
    return Known(parent, program, parent.entry or "", calls, _broken(pool, program, parent, calls, rng))


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
