"""Stored tasks under a check that is new or newer: verdicts written, failures quarantined, nothing twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from flows.steps.backfilling import backfilled, moment, planned
from synth.audit.backfill import backfill, unjudged
from synth.audit.rejudging import subject_of
from synth.evidence import CHECKS
from synth.evidence.check import Check, undecided
from warehouse.errors import UserError
from warehouse.records import Domain, Outcome, Status, StatusChange, Task, Verdict

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


def number(i, gold) -> Task:
    return Task(
        task_id=f"n{i}",
        domain=Domain.MATH,
        family="corpus",
        level=0,
        params={},
        prompt=f"how many {i}?",
        answer_kind="integer",
        gold=gold,
        reference=f"\\boxed{{{gold}}}",
        source="corpus",
    )


@pytest.fixture
def shop(planted):
    """Forty accepted tasks, two of them with a gold that is no integer, and one retired task of that kind."""
    tasks = [number(i, "seven" if i in (3, 35) else str(i)) for i in range(40)]
    rows = [*tasks, *(StatusChange(task_id=t.task_id, status=Status.ACCEPTED, reason="ok") for t in tasks)]
    retired = StatusChange(task_id="n40", status=Status.RETIRED, reason="ok")
    planted.shop.commit([*rows, number(40, "eight"), retired], batch="old", purpose="x")
    return planted.shop


def rows_of(shop):
    return {name: shop.store.rows(f"SELECT count(*) AS n FROM {name}")[0]["n"] for name in ("verdicts", "task_status")}


def test_a_check_judges_old_tasks_once(shop):
    before = rows_of(shop)
    assert planned(shop, "gold", LONG_AGO) == {"check": "gold", "version": 1, "n_tasks": 40, "families": {"corpus": 40}}
    assert rows_of(shop) == before
    told = backfilled(shop, "gold", LONG_AGO)
    assert told == {"check": "gold", "version": 1, "n_tasks": 40, "passed": 38, "quarantined": 2, "undecided": 0}
    assert {t.task_id for t in shop.store.tasks(status=Status.QUARANTINED)} == {"n3", "n35"}
    assert rows_of(shop) == {"verdicts": before["verdicts"] + 40, "task_status": before["task_status"] + 2}
    (change,) = shop.store.read(StatusChange, "task_id = 'n3'")
    assert change.reason == "judged later: gold: invalid"
    again = backfilled(shop, "gold", LONG_AGO)
    assert (again["n_tasks"], rows_of(shop)["verdicts"]) == (0, before["verdicts"] + 40)


def test_a_newer_version_judges_again_and_an_interrupted_run_goes_on(shop, monkeypatch):
    backfilled(shop, "gold", LONG_AGO)
    newer = replace(CHECKS.get("gold"), version=2)
    monkeypatch.setitem(CHECKS._things, "gold", newer)
    first = [one.verdict for one in backfill([subject_of(t) for t in shop.store.tasks()[:10]], newer, None)]
    shop.commit(first, batch="interrupted", purpose="x")
    told = backfilled(shop, "gold", LONG_AGO)
    assert (told["version"], told["n_tasks"], told["passed"]) == (2, 28, 28)


def test_only_tasks_written_since_are_judged(shop):
    assert planned(shop, "gold", datetime.now(UTC) + timedelta(minutes=1))["n_tasks"] == 0
    assert planned(shop, "mutants", LONG_AGO)["n_tasks"] == 0
    with pytest.raises(UserError, match="unknown evidence check 'godl'; nearest: gold"):
        backfilled(shop, "godl", LONG_AGO)


def test_what_could_not_be_judged_is_neither_wrong_nor_decided():
    check = Check("slow", 1, "text", 10, lambda subjects, bench: [undecided("slow: no time")] * len(subjects))
    (found,) = backfill([subject_of(number(1, "1"))], check, None)
    assert (found.verdict.outcome, found.status) == (Outcome.UNDECIDED, None)
    assert len(unjudged([number(1, "1")], check, set())) == 1
    assert unjudged([number(1, "1")], check, {("n1", "slow@1")}) == []


def test_moments_are_dates_or_ages():
    now = datetime(2026, 12, 1, tzinfo=UTC)
    assert moment("30d", now=now) == datetime(2026, 11, 1, tzinfo=UTC)
    assert moment("2026-11-01T12:00+02:00", now=now) == datetime(2026, 11, 1, 10, tzinfo=UTC)
    with pytest.raises(UserError, match="time 'soon' is neither"):
        moment("soon", now=now)


def test_verdicts_that_are_undecided_in_the_store_are_asked_again(shop):
    open_ = Verdict(
        task_id="n1",
        check="gold",
        verifier="synth.math",
        verifier_version=f"1.{_math_version()}",
        verifier_lineage="synth.math",
        outcome=Outcome.UNDECIDED,
        reason="x",
    )
    shop.commit([open_], batch="open", purpose="x")
    assert backfilled(shop, "gold", LONG_AGO)["n_tasks"] == 40


def _math_version() -> str:
    from synth.graders import verifier_of

    return verifier_of(Domain.MATH).version
