"""`gradatim audit` through the command line: figures as rows, nothing twice, stale tasks judged again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from synth.sandbox import Test, dump_tests
from warehouse.records import Outcome, Status, StatusChange, Task, Verdict
from warehouse.store import Store


@pytest.fixture(scope="module")
def audited(tmp_path_factory, gradatim):
    home = tmp_path_factory.mktemp("audit") / "home"
    made = gradatim(home, "synth", "--family", "rev", "--family", "lin", "--n", "24", "--json")
    assert made.code == 0, made.err[-2000:]
    first = gradatim(home, "audit", "--n", "12", "--json")
    assert first.code == 0, first.err[-2000:]
    return home, first


def n_verdicts(home) -> int:
    with Store.open(home, read_only=True) as store:
        return int(store.rows("SELECT count(*) AS n FROM verdicts")[0]["n"])


def test_figures_carry_intervals(audited):
    _, first = audited
    by_name = {row["verifier"]: row for row in first.value["verifiers"]}
    assert set(by_name) == {"synth.math", "synth.sandbox", "lin.tests"}
    for row in by_name.values():
        assert (row["n"], row["false_accept"], row["false_accept_low"]) == (12, 0.0, 0.0)
        z2 = 1.959963984540054**2
        assert row["false_accept_high"] == pytest.approx(z2 / (row["n_wrong"] + z2))
    assert by_name["lin.tests"]["false_reject"] is None


def test_figures_are_rows_that_sql_shows(audited, gradatim):
    home, first = audited
    rows = gradatim(home, "sql", "--named", "verifier_audit", "--json").value
    shown = {row["verifier"]: row["n_wrong"] for row in rows if row["check"] == "audit"}
    assert shown == {row["verifier"]: row["n_wrong"] for row in first.value["verifiers"]}
    assert {"gold", "reference", "independent"} <= {row["check"] for row in rows}


def test_a_second_audit_writes_nothing(audited, gradatim):
    home, first = audited
    before = n_verdicts(home)
    again = gradatim(home, "audit", "--n", "12", "--json")
    assert again.value == first.value
    assert n_verdicts(home) == before


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


def test_stale_tasks_are_judged_again_once(audited, gradatim):
    home, _ = audited
    with Store.open(home) as store:
        right, _ = planted(store)
    first = gradatim(home, "audit", "--n", "12", "--rejudge", "--json").value
    assert (first["rejudged"], first["quarantined"], first["undecided"]) == (2, 1, 0)
    with Store.open(home, read_only=True) as store:
        assert "wrong" not in {task.task_id for task in store.tasks()}
        assert right.task_id in {task.task_id for task in store.tasks()}
        changes = store.read(StatusChange, "task_id = 'wrong'")
        assert changes[-1].reason.startswith("judged again: ")
    second = gradatim(home, "audit", "--n", "12", "--rejudge", "--json").value
    assert (second["rejudged"], second["quarantined"]) == (0, 0)


def test_an_empty_warehouse_is_refused_in_one_line(tmp_path, gradatim):
    ended = gradatim(tmp_path / "home", "audit")
    assert ended.code == 2
    assert "there is no warehouse in" in ended.err.splitlines()[-1]
