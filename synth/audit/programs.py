"""Programs for a code task that are right or wrong for sure: rewritten references, and mutants seen to differ."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from synth.audit.rewriting import expressions, rewritings
from synth.evidence.check import Bench, Output, Programs
from synth.evidence.mutation import mutants
from synth.graders.programs import MARKER, program_of, tests_of
from synth.sandbox import Test
from synth.seeds import stream
from warehouse.records import Task

N_MUTANTS = 4
N_FRESH = 12
"""Calls beyond the tests on which a mutant may be seen to differ."""
NEAR = 1e-6
"""Floats that differ by less, relatively, prove nothing."""


class Mutant(NamedTuple):
    """A whole program, and whether the graded tests alone show that it is wrong (else only fresh inputs do)."""

    program: str
    shown: bool


class Right(NamedTuple):
    """A right completion of `task`, and the form in which it differs from the reference."""

    form: str
    task: Task
    completion: str


def right_programs(task: Task) -> list[Right]:
    """The reference, and completions that compute the same; a whole program where the reference is the end of one."""
    reference, scaffold = task.reference or "", task.scaffold or MARKER
    found = [
        Right("itself", task, reference),
        Right("in a fence", task, f"Here it is:\n```python\n{reference}\n```\n"),
    ]
    if f"return {MARKER}" in scaffold:
        forms, judged = _rewritten(reference, expressions), task
    elif scaffold.endswith(MARKER):
        forms, judged = _rewritten(reference, rewritings), task
        if not forms:
            forms, judged = _rewritten(program_of(task, reference), rewritings), without_scaffold(task)
    else:
        return found
    return found + [Right(form, judged, text) for form, text in forms.items()]


def _rewritten(text: str, rewrite: Callable[[str], dict[str, str]]) -> dict[str, str]:
    try:
        return rewrite(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}


def wrong_programs(tasks: Sequence[Task], bench: Bench, *, trusted: bool) -> list[list[Mutant]]:
    """For each task the sampled mutants of its reference that differ from it on a graded test or a fresh input."""
    edits = [_edits(task) for task in tasks]
    graded = [_comparable(task) for task in tasks]
    fresh = [_fresh(calls, stream("audit inputs", task.task_id)) for task, calls in zip(tasks, graded, strict=True)]
    places = [i for i in range(len(tasks)) if edits[i] and graded[i]]
    asked = [
        Programs(
            (program_of(tasks[i], tasks[i].reference or ""), *edits[i]), tasks[i].entry or "", (*graded[i], *fresh[i])
        )
        for i in places
    ]
    found: list[list[Mutant]] = [[] for _ in tasks]
    for i, (own, *others) in zip(places, bench.outputs(asked, trusted=trusted), strict=True):
        n = len(graded[i])
        for program, outputs in zip(edits[i], others, strict=True):
            differs = [_apart(one, two) for one, two in zip(own, outputs, strict=True)]
            if any(differs):
                found[i].append(Mutant(program, any(differs[:n])))
    return found


def _edits(task: Task) -> list[str]:
    if task.params.get("open_answer") is True:
        return []
    program = program_of(task, task.reference or "")
    try:
        edits = mutants(program)
    except (SyntaxError, ValueError, RecursionError):
        return []
    return stream("audit mutants", task.task_id).sample(edits, min(N_MUTANTS, len(edits)))


def _comparable(task: Task) -> tuple[Test, ...]:
    """The tests of one plain call with one right answer, so that another answer is a wrong one."""
    strict = Test()
    return tuple(
        test
        for test in tests_of(task.tests, task.hidden_tests)
        if test.entry in (None, task.entry)
        and test.equality != "truth"
        and (test.through, test.methods, test.stdin, test.check, test.unordered, test.any_of)
        == (strict.through, strict.methods, strict.stdin, strict.check, strict.unordered, strict.any_of)
        and max(test.abs_tol, test.rel_tol) <= NEAR
    )


def _fresh(calls: Sequence[Test], rng: random.Random) -> tuple[Test, ...]:
    """Calls with arguments like those of the tests: from different tests together, or a little changed."""
    width = min((len(call.args) for call in calls), default=0)
    if not width or any(call.kwargs for call in calls):
        return ()
    known = [repr(call.args) for call in calls]
    made: dict[str, Test] = {}
    for _ in range(4 * N_FRESH):
        args = [rng.choice(calls).args[place] for place in range(width)]
        place = rng.randrange(width)
        args[place] = _near(args[place], rng)
        if repr(tuple(args)) not in known and len(made) < N_FRESH:
            made[repr(args)] = Test(args=tuple(args))
    return tuple(made.values())


def _near(value: object, rng: random.Random) -> object:
    """A value of the same type and kind: positive stays positive, characters and items stay those that were."""
    if type(value) is int and value > 1:
        return rng.randint(max(1, value // 2), 2 * value)
    if type(value) in (str, list, tuple) and len(value) > 1:  # type: ignore[arg-type]
        items = list(value)  # type: ignore[call-overload]
        rng.shuffle(items)
        return "".join(items) if type(value) is str else type(value)(items)  # type: ignore[call-arg]
    return value


def _apart(own: Output, other: Output) -> bool:
    """Whether the second output is wrong for sure, given that the first is right; where that raises, nothing is."""
    if own.raised is not None:
        return False
    return other.raised is not None or not _alike(own.value, other.value)


def _alike(one: object, two: object) -> bool:
    if isinstance(one, float) and isinstance(two, float | int) and not isinstance(two, bool):
        try:
            return math.isclose(one, two, rel_tol=NEAR, abs_tol=NEAR) or (one != one and two != two)
        except OverflowError:  # an integer beyond all floats
            return False
    if isinstance(one, list | tuple) and isinstance(two, list | tuple) and len(one) == len(two):
        return all(map(_alike, one, two))
    if isinstance(one, dict) and isinstance(two, dict) and one.keys() == two.keys():
        return all(_alike(one[key], two[key]) for key in one)
    return one == two


def without_scaffold(task: Task) -> Task:
    """The task under which a whole program is judged."""
    return replace(task, scaffold=None)
