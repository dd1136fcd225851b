"""The audit finds no mistake in sound verifiers, and the planted ones in unsound ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from synth.audit import audit, rejudge, signature, stale
from synth.audit.rejudging import subject_of
from synth.bench import SandboxBench
from synth.evidence import examine
from synth.family import FAMILIES
from synth.graders import Judge
from synth.proposals import Request, proposals
from synth.sandbox import Test, dump_tests
from synth.tasks import regenerate
from warehouse.records import Domain, Judgement, Outcome, Status, Task


@pytest.fixture(scope="module")
def bench() -> Iterator[SandboxBench]:
    with Judge(workers=2) as judge:
        yield SandboxBench(judge)


def tasks(name: str, n: int) -> list[Task]:
    level = FAMILIES.get(name).levels[1]
    return [one.subject.task for one in proposals(Request(name, level, n, 0)) if one.subject]


def totals(verdicts, verifier: str) -> dict[str, int]:
    counted = ("n_wrong", "n_false_accept", "n_right", "n_false_reject", "n_undecided")
    rows = [verdict.evidence for verdict in verdicts if verdict.verifier == verifier]
    return {name: sum(int(str(row[name])) for row in rows) for name in counted}


@pytest.mark.parametrize("name", FAMILIES.names())
def test_the_verifiers_of_every_family_make_no_mistake(name, bench):
    found = audit(tasks(name, 4), bench)
    assert [verdict.evidence["mistakes"] for verdict in found if verdict.outcome is Outcome.FAIL] == []
    judge = "synth.sandbox" if FAMILIES.get(name).domain is Domain.CODE else "synth.math"
    assert totals(found, judge)["n_right"] >= 8


class Credulous(SandboxBench):
    """A judge with a planted fault: every completion passes."""

    def judge(self, tasks, completions, **how):
        return [Judgement.PASS] * len(tasks)


class Torn(SandboxBench):
    """A judge with a planted fault: it refuses half and cannot decide the rest."""

    def judge(self, tasks, completions, **how):
        return [Judgement.WRONG if i % 2 else Judgement.UNDECIDED for i in range(len(tasks))]


def test_planted_faults_of_a_judge_are_counted():
    with Judge(workers=1) as judge:
        for name, verifier in (("add", "synth.math"), ("lin", "synth.sandbox")):
            made = tasks(name, 3)
            credulous = audit(made, Credulous(judge))
            counts = totals(credulous, verifier)
            assert counts["n_false_accept"] > 0
            assert counts["n_false_reject"] == 0
            assert {v.outcome for v in credulous if v.verifier == verifier} == {Outcome.FAIL}
            torn = totals(audit(made, Torn(judge)), verifier)
            assert torn["n_false_reject"] > 0
            assert torn["n_undecided"] > 0


def test_weak_tests_are_told_from_a_weak_judge(bench):
    weak = Task(
        task_id="weak", domain=Domain.CODE, family="planted", level=1, params={"version": 3}, prompt="?",
        answer_kind="program", entry="f", reference="def f(a, b):\n    return max(a, b) + 1\n", source="planted",
        hidden_tests=dump_tests([Test(args=(3, 3), expected=4), Test(args=(2, 2), expected=3),
                                 Test(args=(90, 90), expected=91)]),
    )  # fmt: skip
    verdicts = {verdict.verifier: verdict for verdict in audit([weak], bench)}
    tests = verdicts["planted.tests"]
    assert (tests.outcome, tests.verifier_version) == (Outcome.FAIL, "3")
    assert tests.reason == "audit: accepted: mutant that differs on other inputs"
    assert verdicts["synth.sandbox"].outcome is Outcome.PASS
    strong = replace(weak, hidden_tests=dump_tests([Test(args=(3, 8), expected=9), Test(args=(9, 2), expected=10)]))
    assert {verdict.outcome for verdict in audit([strong], bench)} == {Outcome.PASS}


def test_the_same_tasks_are_tried_alike(bench):
    made = [*tasks("lin", 3), *tasks("rev", 3)]
    assert audit(made, bench) == audit(made, bench)


def signed(verdicts) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for verdict in verdicts:
        found.setdefault(verdict.task_id, {})[verdict.check] = signature(verdict.verifier, verdict.verifier_version)
    return found


def test_only_tasks_with_another_version_are_stale(bench):
    made = [*tasks("lin", 3), *tasks("rev", 3)]
    now = signed(v for one in examine([subject_of(task) for task in made], bench) for v in one.verdicts)
    assert stale(made, now) == []
    assert stale(made, {}) == []
    old = now | {made[4].task_id: {**now[made[4].task_id], "reference": "synth.math@1.0"}}
    assert stale(made, old) == [made[4]]
    assert stale(made, now | {made[0].task_id: {"no longer a check": "x@1"}}) == []


def test_a_stored_task_is_examined_as_it_was_made():
    for name in ("rev", "lin", "equations"):
        for task in tasks(name, 2):
            subject = subject_of(task)
            assert subject.family is FAMILIES.get(name)
            assert subject.item.prompt == regenerate(task).prompt
            older = subject_of(replace(task, params={**task.params, "version": 0}))
            assert older.family is None
            assert older.graded == subject.graded


def test_a_wrong_gold_is_quarantined_and_a_right_one_stays(bench):
    right, other = tasks("rev", 2)
    wrong = replace(other, gold=(other.gold or "")[::-1], params={**other.params, "version": 0})
    kept, failed = rejudge([right, wrong], bench)
    assert kept is not None
    assert kept.status is None
    assert failed is not None
    assert failed.status is not None
    assert (failed.status.status, failed.status.reason[:13]) == (Status.QUARANTINED, "judged again:")


def test_what_cannot_be_decided_stays_as_it_is():
    with Judge(workers=1) as judge:
        assert rejudge(tasks("rev", 1), Torn(judge)) == [None]
