"""`gradatim audit`: figures as rows, nothing twice, stale tasks judged again; once through the command line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flows.settings import Settings
from flows.steps.auditing import audit_verifiers, rejudge_stale
from flows.workshop import workshop
from synth.sandbox import Test, dump_tests
from warehouse.records import Outcome, Status, StatusChange, Task, Verdict
from warehouse.store import Store

N = 12
"""Tasks of a domain in every audit."""


@pytest.fixture(scope="module")
def run(home, console):
    """The command line on the module's home."""
    with console(home) as ask:
        yield ask


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("audit") / "home"


@pytest.fixture(scope="module")
def audited(home, run):
    """A home of synthesised tasks, and the figures of its first audit."""
    made = run("synth", "--family", "rev", "--family", "lin", "--n", "24", "--json")
    assert made.code == 0, made.err[-2000:]
    with workshop(Settings(home=home), flow="audit", config={}) as shop:
        return home, audit_verifiers(shop, n=N, seed=0)


def n_verdicts(home, where="true") -> int:
    with Store.open(home, read_only=True) as store:
        return int(store.rows(f"SELECT count(*) AS n FROM verdicts WHERE {where}")[0]["n"])


def test_figures_carry_intervals(audited):
    _, figures = audited
    by_name = {row["verifier"]: row for row in figures}
    assert set(by_name) == {"synth.math", "synth.sandbox", "lin.tests"}
    for row in by_name.values():
        assert (row["n"], row["false_accept"], row["false_accept_low"]) == (N, 0.0, 0.0)
        z2 = 1.959963984540054**2
        assert row["false_accept_high"] == pytest.approx(z2 / (row["n_wrong"] + z2))
    assert by_name["lin.tests"]["false_reject"] is None


def test_figures_are_rows_that_sql_shows(audited, verb):
    home, figures = audited
    rows = verb(home, "sql", "--named", "verifier_audit", "--json").value
    shown = {row["verifier"]: row["n_wrong"] for row in rows if row["check"] == "audit"}
    assert shown == {row["verifier"]: row["n_wrong"] for row in figures}
    assert {"gold", "reference", "independent"} <= {row["check"] for row in rows}


def planted(store: Store) -> tuple[Task, Task]:
    """Two accepted tasks whose verdicts an older verifier gave: one was wrongly admitted."""
    right = store.tasks(family="lin")[0]
    wrong = replace(right, task_id="wrong", source="planted", hidden_tests=dump_tests([Test(args=(1,), expected=None)]))
    older = [
        Verdict(task_id=task.task_id, check="reference", verifier="synth.sandbox", verifier_version="0.9",
                verifier_lineage="judge", outcome=Outcome.PASS)
        for task in (right, wrong)
    ]  # fmt: skip
    accepted = StatusChange(task_id="wrong", status=Status.ACCEPTED, reason="planted")
    store.commit([wrong, *older, accepted], batch="planted", purpose="test", run="test")
    return right, wrong


def test_stale_tasks_are_judged_again_once_and_no_answer_is_audited_twice(audited, run):
    home, figures = audited
    with Store.open(home) as store:
        right, _ = planted(store)
    n_audited = n_verdicts(home, "\"check\" = 'audit'")
    first = run("audit", "--n", str(N), "--rejudge", "--json").value
    assert (first["rejudged"], first["quarantined"], first["undecided"]) == (2, 1, 0)
    assert first["verifiers"] == figures
    assert n_verdicts(home, "\"check\" = 'audit'") == n_audited > 0
    with Store.open(home, read_only=True) as store:
        assert "wrong" not in {task.task_id for task in store.tasks()}
        assert right.task_id in {task.task_id for task in store.tasks()}
        changes = store.read(StatusChange, "task_id = 'wrong'")
        assert changes[-1].reason.startswith("judged again: ")
    before = n_verdicts(home)
    with workshop(Settings(home=home), flow="audit", config={}) as shop:
        assert rejudge_stale(shop) == {"rejudged": 0, "quarantined": 0, "undecided": 0}
        assert audit_verifiers(shop, n=N, seed=0) == figures
    assert n_verdicts(home) == before


def test_an_empty_warehouse_is_refused_in_one_line(tmp_path, verb):
    ended = verb(tmp_path / "home", "audit")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "there is no warehouse in" in ended.err
