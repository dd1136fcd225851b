"""Evidence for repair tasks: the repair works, the fault shows and stays, and the repair cannot be guessed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from synth.environments.repository.grading import files_of, job_of, program_of_patch
from synth.environments.repository.loading import program
from synth.environments.repository.patches import applied
from synth.evidence.check import PASSED, Bench, Check, Finding, Subject, failed, quarantined, undecided
from synth.sandbox import Limits, Pool, Result, Test
from warehouse.records import Judgement, Outcome

N_REPLAYS = 2
FAULT_LIMITS = Limits(cpu_s=0.5)
SHARE = 0.9
"""Most of the graded calls that a fault may break: beyond it the package is only rubble."""

Findings = Callable[[Sequence[Subject], Bench], list[Finding]]


def checks(pool: Pool) -> list[Check]:
    """The checks in order; expected values come from oracles that share no code with the package (`independent`)."""
    return [
        Check("patch_scope", 1, "text", 10, _scope),
        Check("repair", 1, "domain-oracle", 20, _repair(pool), independent=True),
        Check("fault", 1, "sandbox", 30, _fault(pool)),
        Check("guess", 1, "probes", 40, _guess),
    ]


def _scope(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
    """The reverse patch changes what the task lets a policy change, and nothing else."""
    return [PASSED if isinstance(_repaired(one), str) else failed("repair: out of scope") for one in subjects]


def _repaired(subject: Subject) -> object:
    return program_of_patch(subject.task, subject.task.reference or "")


def _repair(pool: Pool) -> Findings:
    """The reverse patch makes every test pass, on three runs that agree: the package agrees with its oracles."""

    def examine(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
        jobs = [job_of(one.task, str(_repaired(one)), replays=N_REPLAYS) for one in subjects]
        return [_passing(result) for result in pool.verify_many(jobs)]

    return examine


def _passing(result: Result) -> Finding:
    if result.verdict is Judgement.PASS:
        return Finding(Outcome.PASS, None, {"n_tests": result.total, "cpu_s": round(result.cpu_s, 6)})
    if result.verdict is Judgement.UNSTABLE:
        return quarantined("repair: unstable")
    if result.reward is None:
        return undecided("repair: could not be judged")
    return failed(f"repair: {result.verdict}", detail=result.detail[:300])


def _fault(pool: Pool) -> Findings:
    """As given some tests fail and some pass, on three runs that agree; hidden ones are among both."""

    def examine(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
        jobs = [
            job_of(one.task, program(files_of(one.task), [str(one.task.params["package"])]), replays=N_REPLAYS,
                   limits=FAULT_LIMITS)
            for one in subjects
        ]  # fmt: skip
        return [_failing(result) for result in pool.verify_many(jobs)]

    return examine


def _failing(result: Result) -> Finding:
    evidence = {"n_failing": result.total - result.passed, "n_tests": result.total}
    if result.verdict is Judgement.PASS:
        return failed("fault: every test passes")
    if result.verdict is Judgement.UNSTABLE:
        return quarantined("fault: unstable")
    if result.reward is None:
        return undecided("fault: could not be judged")
    if result.total - result.passed > SHARE * result.total:
        return failed("fault: nearly every test fails", **evidence)
    return Finding(Outcome.PASS, None, {**evidence, "judgement": str(result.verdict)})


def _guess(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
    """A patch that returns one value, an argument, or the shown answers fails in every function that fails."""
    return [_guessed(one) for one in subjects]


def _guessed(subject: Subject) -> Finding:
    if applied(files_of(subject.task), "") != files_of(subject.task):
        return failed("guess: the empty patch changes something")
    by_function: dict[tuple[str, str], list[Test]] = {}
    for test in subject.item.hidden_tests:
        by_function.setdefault((test.args[0], test.args[1]), []).append(test)
    shown = {repr(test.args) for test in subject.item.tests}
    for (_, name), tests in by_function.items():
        if all(repr(test.args) in shown for test in tests):
            return failed("guess: every graded call is shown", function=name)
        if all(test.expected == tests[0].expected for test in tests):
            return failed("guess: a constant passes", function=name)
        for place in range(len(tests[0].args[2])):
            if all(len(test.args[2]) > place and test.args[2][place] == test.expected for test in tests):
                return failed("guess: an argument passes", function=name)
    return PASSED
