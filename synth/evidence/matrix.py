"""Code under two pairs of eyes: a model of another lineage writes solutions without the tests, and tests without them.

The matrix of which solution returns what on which call decides whom to trust (after CodeT, arXiv 2207.10397, with the
agreement counted over solutions that were written apart).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from synth.engines import Answered, Ask, Engine
from synth.evidence.check import Bench, Check, Finding, Output, Programs, Subject, is_plain
from synth.evidence.consensus import RULE, Rule, Votes, weigh
from synth.graders.programs import code_of
from synth.sandbox import Test, dump_tests
from synth.seeds import stream
from synth.writers.forms import CALLS, calls_of
from synth.writers.reading import read_object
from warehouse.errors import UserError
from warehouse.records import FinishReason, JsonValue, Outcome, Task, content_hash

N_SOLUTIONS, N_SUITES = 4, 2
LEAST_TRUSTED = 0.5
"""Share of the blind tests whose expected value the reference must return."""

Behaviour = tuple[str, ...]
"""What one program does on each call, as text."""


class Matrix(NamedTuple):
    """What programs do on calls: the reference first, then each blind solution; `expected` is what blind tests say."""

    behaviours: tuple[Behaviour, ...]
    expected: Behaviour

    @property
    def votes(self) -> Votes:
        """Blind solutions that behave as the reference on every call, and the most that behave alike otherwise.

        One that raises on every call gives no answer.
        """
        reference, *blind = self.behaviours
        answers = [one for one in blind if any(not cell.startswith("!") for cell in one)]
        others = Counter(one for one in answers if one != reference)
        return Votes(len(blind), len(answers), answers.count(reference), max(others.values(), default=0))

    @property
    def trusted(self) -> float | None:
        """Share of the blind tests that the reference passes, in [0, 1]; none without blind tests."""
        own = self.behaviours[0][len(self.behaviours[0]) - len(self.expected) :]
        return sum(map(str.__eq__, own, self.expected)) / len(self.expected) if self.expected else None

    @property
    def tells(self) -> bool:
        """Whether the blind tests can tell right from wrong: a program of one answer does not pass them all."""
        return len(set(self.expected)) > 1


def matrix_check(
    engine: Engine,
    *,
    n_solutions: int = N_SOLUTIONS,
    n_suites: int = N_SUITES,
    rule: Rule = RULE,
    version: int = 2,
    order: int = 75,
) -> Check:
    """The check `matrix` by `engine` for code tasks whose tests are plain calls; undecided for tests of another kind.

    A task passes where blind solutions agree with its reference on the calls of both, by `rule`, and where at least
    half of the blind tests expect what the reference returns. Blind tests that one constant answer passes decide
    nothing, however many agree; nor do such as nobody can run.
    """

    def examine(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
        tasks = [subject.task for subject in subjects]
        solutions = engine.answer([_asked(task, solution_of, n_solutions) for task in tasks])
        suites = engine.answer([_asked(task, suite_of, n_suites) for task in tasks])
        places, jobs = [], []
        for i, subject in enumerate(subjects):
            if solutions[i].failure is None and suites[i].failure is None and all(map(is_plain, subject.graded)):
                places.append(i)
                jobs.append(_job(subject, solutions[i], suites[i]))
        rows = bench.outputs([programs for programs, _ in jobs])
        findings = [_unfit(subjects[i], solutions[i], suites[i]) for i in range(len(subjects))]
        for i, (_, blind), outputs in zip(places, jobs, rows, strict=True):
            behaviours = tuple(tuple(map(_told, row)) for row in outputs)
            found = decided(Matrix(behaviours, tuple(_value(test.expected) for test in blind)), rule)
            spent = sum(reply.n_tokens for one in (solutions[i], suites[i]) for reply in one.replies)
            findings[i] = found._replace(evidence={**found.evidence, "n_tokens": spent})
        return findings

    terms = content_hash("matrix", n_solutions, n_suites, list(rule))[:8]
    return Check(
        name="matrix",
        version=version,
        lineage=engine.lineage,
        order=order,
        examine=examine,
        applies=lambda subject: subject.task.answer_kind == "program" and subject.task.scaffold is None,
        independent=True,
        by=(engine.name, f"{engine.version}.{terms}"),
    )


def decided(matrix: Matrix, rule: Rule = RULE) -> Finding:
    """What a matrix says of the task; its evidence shows each blind solution's agreement call by call.

    >>> decided(Matrix((("3", "0"), ("3", "0"), ("3", "0"), ("3", "!")), ("3", "0"))).outcome.value
    'pass'
    >>> decided(Matrix((("3", "0"), ("3", "0"), ("3", "0"), ("3", "0")), ("0",))).reason
    'matrix: blind tests decide nothing'
    >>> decided(Matrix((("3",), ("4",), ("4",), ("4",)), ())).reason
    'matrix: consensus on another behaviour'
    """
    found = weigh(matrix.votes, rule)
    reference, *blind = matrix.behaviours
    shown: JsonValue = ["".join("01"[a == b] for a, b in zip(one, reference, strict=True)) for one in blind]
    trusted = matrix.trusted
    evidence = {**found.evidence, "matrix": shown, "trusted_tests": None if trusted is None else round(trusted, 4)}
    reason = found.reason and found.reason.replace("blind:", "matrix:").replace("answer", "behaviour")
    if found.outcome is Outcome.PASS and trusted is not None and trusted < LEAST_TRUSTED:
        return Finding(Outcome.UNDECIDED, "matrix: blind tests expect otherwise", evidence, quarantine=True)
    if found.outcome is Outcome.PASS and not matrix.tells:
        return Finding(Outcome.UNDECIDED, "matrix: blind tests decide nothing", evidence, quarantine=True)
    return found._replace(reason=reason, evidence=evidence)


def solution_of(task: Task) -> Ask:
    """Asks for a solution; neither the reference nor the hidden tests are shown."""
    wish = f"{task.prompt}\n\nReply with the Python function {task.entry} in one ```python block, nothing else."
    return Ask(prompt=wish, temperature=0.8, max_tokens=1024)


def suite_of(task: Task) -> Ask:
    """Asks for tests; no solution is shown."""
    wish = (
        f"{task.prompt}\n\nDo not write the function. Write tests of {task.entry}: reply with one JSON object "
        '{"tests": [{"args": [...], "expected": ...}, ...]} of at least five calls, edge cases among them, '
        "whose results follow from the task."
    )
    schema: dict[str, JsonValue] = {"type": "object", "properties": {"tests": CALLS}, "required": ["tests"]}
    return Ask(prompt=wish, temperature=0.8, max_tokens=1024, schema=schema)


def _asked(task: Task, pose: Callable[[Task], Ask], n: int) -> Ask:
    return replace(pose(task), n=n, seed=stream(pose.__name__, task.task_id).getrandbits(31))


def _job(subject: Subject, solutions: Answered, suites: Answered) -> tuple[Programs, list[Test]]:
    """The reference and the blind solutions on the task's own calls, then on the blind ones."""
    entry = subject.task.entry or ""
    blind: list[Test] = []
    for reply in suites.replies:
        fields = read_object(reply.text).fields or {}
        blind += [test for test in calls_of(fields.get("tests")) if test not in blind and _is_sendable(test)]
    programs = [subject.task.reference or ""]
    programs += [code_of(reply.text, entry) if _whole(reply.finish_reason) else "" for reply in solutions.replies]
    return Programs(tuple(programs), entry, (*subject.graded, *blind)), blind


def _is_sendable(test: Test) -> bool:
    try:
        return bool(dump_tests([test]))
    except UserError:
        return False


def _whole(end: FinishReason) -> bool:
    return end is FinishReason.STOP


def _unfit(subject: Subject, *answers: Answered) -> Finding:
    failure = next((one.failure for one in answers if one.failure is not None), None)
    reason = f"infrastructure: {failure}" if failure is not None else "matrix: tests that are no plain calls"
    return Finding(Outcome.UNDECIDED, reason, quarantine=True)


def _told(output: Output) -> str:
    return f"!{output.raised}" if output.raised is not None else _value(output.value)


def _value(value: object) -> str:
    """A value as text; a tuple reads as the list that JSON makes of it."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    try:
        return repr(value)
    except ValueError:  # an integer of more digits than Python writes
        return dump_tests([Test(expected=value)])
