"""The audit: how often a verifier accepts what is wrong for sure, and refuses what is right for sure.

Covered: the math checker on perturbed golds, other forms of them and generated pairs; the sandbox on mutants that
the graded tests show to be wrong and on rewritten references; a family's tests on those mutants too that only
fresh inputs show to be wrong. Not covered: mistakes of a kind that no maker makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from synth.audit.answers import answers
from synth.audit.programs import right_programs, without_scaffold, wrong_programs
from synth.evidence.check import Bench
from synth.evidence.mutants import MUTANT_CPU_S
from synth.graders.verifier import MATH, SANDBOX, Verifier
from synth.math import Equality, check, prepare_gold
from synth.math.makers import MAKERS
from synth.seeds import stream
from synth.tasks import OWN_SOURCE
from warehouse.records import Domain, JsonValue, Judgement, Outcome, Task, Verdict

CHECK = "audit"
VERSION = 1
"""Version of what is tried."""
N_PAIRS = 6
"""Generated pairs that are judged beside each math task's own gold."""
MOST_NAMED = 8
"""Mistakes that a verdict names."""


@dataclass(slots=True)
class Tally:
    """What one verifier said in the audit of one task."""

    task_id: str
    verifier: Verifier
    n_wrong: int = 0
    n_right: int = 0
    n_undecided: int = 0
    accepted: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def add(self, form: str, right: bool, word: bool | None) -> None:
        """Counts one answer; `word` is whether the verifier took it for right, none when it could not tell."""
        if word is None:
            self.n_undecided += 1
        elif right:
            self.n_right += 1
            self.refused += [] if word else [form]
        else:
            self.n_wrong += 1
            self.accepted += [form] if word else []

    def verdict(self) -> Verdict:
        """The counts as a row: `fail` when there was a mistake, `undecided` when nothing could be tried."""
        tried = self.n_wrong + self.n_right
        mistakes = [f"accepted: {form}" for form in self.accepted] + [f"refused: {form}" for form in self.refused]
        evidence: dict[str, JsonValue] = {
            "audit_version": VERSION,
            "n_wrong": self.n_wrong,
            "n_false_accept": len(self.accepted),
            "n_right": self.n_right,
            "n_false_reject": len(self.refused),
            "n_undecided": self.n_undecided,
            "mistakes": list(mistakes[:MOST_NAMED]),
        }
        reason = None
        if not tried:
            reason = "audit: nothing could be tried"
        elif mistakes:
            reason = f"audit: {mistakes[0]}"
        return Verdict(
            task_id=self.task_id,
            check=CHECK,
            verifier=self.verifier.name,
            verifier_version=self.verifier.version,
            verifier_lineage=self.verifier.lineage,
            outcome=Outcome.UNDECIDED if not tried else Outcome.FAIL if mistakes else Outcome.PASS,
            reason=reason,
            evidence=evidence,
        )


def audit(tasks: Sequence[Task], bench: Bench) -> list[Verdict]:
    """One verdict for each task and each verifier that had a part in it; the same tasks give the same trials."""
    tallies = [_math(task, bench) for task in tasks if task.domain is not Domain.CODE]
    programs = [task for task in tasks if task.domain is Domain.CODE]
    for ours in (True, False):
        tallies += _programs([task for task in programs if (task.source == OWN_SOURCE) is ours], bench, trusted=ours)
    return [tally.verdict() for tally in tallies]


def _math(task: Task, bench: Bench) -> Tally:
    tally = Tally(task.task_id, MATH)
    tried = answers(task)
    words = bench.judge([task] * len(tried), [answer.completion for answer in tried])
    for answer, word in zip(tried, words, strict=True):
        tally.add(answer.form, answer.right, _accepted(word))
    rng = stream("audit pairs", task.task_id)
    for group in rng.sample(sorted(MAKERS), min(N_PAIRS, len(MAKERS))):
        gold, answer_text, equal = MAKERS[group](rng)
        outcome = check(prepare_gold(gold), answer_text)
        decided = outcome in (Equality.EQUAL, Equality.NOT_EQUAL)
        tally.add(f"pair of {group}", equal, outcome is Equality.EQUAL if decided else None)
    return tally


def _programs(tasks: Sequence[Task], bench: Bench, *, trusted: bool) -> Iterator[Tally]:
    rights = [right_programs(task) for task in tasks]
    wrongs = wrong_programs(tasks, bench, trusted=trusted)
    flat = [right for forms in rights for right in forms]
    right_words = iter(bench.judge([right.task for right in flat], [right.completion for right in flat]))
    asked = [(without_scaffold(task), m.program) for task, made in zip(tasks, wrongs, strict=True) for m in made]
    wrong_words = iter(bench.judge([task for task, _ in asked], [text for _, text in asked], cpu_s=MUTANT_CPU_S))
    for task, forms, made in zip(tasks, rights, wrongs, strict=True):
        judge, tests = Tally(task.task_id, SANDBOX), Tally(task.task_id, tests_of_family(task))
        for right in forms:
            judge.add(right.form, True, _accepted(next(right_words)))
        for mutant in made:
            word = _accepted(next(wrong_words))
            if mutant.shown:
                judge.add("mutant", False, word)
            tests.add("mutant" if mutant.shown else "mutant that differs on other inputs", False, word)
        yield judge
        yield tests


def tests_of_family(task: Task) -> Verifier:
    """The task's tests as a verifier: of its family, at the version that made it."""
    return Verifier(f"{task.family}.tests", str(task.params.get("version", 1)), "tests")


def _accepted(word: Judgement) -> bool | None:
    return word is Judgement.PASS if word.decided else None
