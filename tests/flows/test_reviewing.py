"""The queue for people: what comes first, what is shown, what is kept, and how judges and people agree."""

from __future__ import annotations

import shutil

import pytest

from flows.settings import prepared
from flows.steps.reviewing import Word, agreement, evidence, queue, store_review
from flows.workshop import workshop
from warehouse.errors import UserError
from warehouse.records import Outcome, Status, Verdict


@pytest.fixture
def shop(campaign, tmp_path):
    settings = prepared(shutil.copytree(campaign.home, tmp_path / "copy"))
    with workshop(settings, flow="review", config={}) as opened:
        yield opened


def first(shop, what: str) -> str:
    rows = shop.store.rows(
        "SELECT task_id AS id FROM current_tasks WHERE status = 'accepted' ORDER BY 1 LIMIT 1"
        if what == "task"
        else "SELECT rollout_id AS id FROM rollouts WHERE judgement = 'PASS' ORDER BY 1 LIMIT 1"
    )
    return str(rows[0]["id"])


def test_what_checks_disagree_about_comes_first_and_families_take_turns(shop):
    disputed = first(shop, "task")
    row = Verdict(
        task_id=disputed, check="planted", verifier="v", verifier_version="1", verifier_lineage="planted",
        outcome=Outcome.FAIL,
    )  # fmt: skip
    shop.commit([row], batch="planted", purpose="test")
    reasons = [row["why"] for row in queue(shop.store, 1000)]
    assert disputed in {row["id"] for row in queue(shop.store, 1000) if row["why"] == "checks disagree"}
    assert reasons[: reasons.count("checks disagree")] == ["checks disagree"] * reasons.count("checks disagree")
    found = queue(shop.store, 400)
    sampled = [row for row in found if row["why"] == "sample"]
    assert len({row["family"] for row in sampled[:12]}) == 3
    assert {row["what"] for row in found} == {"task", "rollout"}
    assert len({row["id"] for row in found}) == len(found)


def test_a_persons_word_is_kept_once_leaves_the_queue_and_sets_a_wrong_task_aside(shop):
    task = first(shop, "task")
    shown = evidence(shop.store, task)
    assert shown["prompt"]
    assert shown["verdicts"]
    store_review(shop, shown, Word.WRONG, reviewer="ada", note="two answers fit")
    snapshot = shop.store.snapshot()
    store_review(shop, shown, Word.WRONG, reviewer="ada", note="two answers fit")
    assert shop.store.snapshot() == snapshot
    (kept,) = shop.store.read(Verdict, "\"check\" = 'review'")
    assert (kept.verifier, kept.verifier_lineage, kept.outcome, kept.reason) == (
        "ada", "person", Outcome.FAIL, "two answers fit",
    )  # fmt: skip
    (now,) = shop.store.tasks(task_ids=[task], status=str(Status.QUARANTINED))
    assert now.task_id == task
    assert task not in {row["id"] for row in queue(shop.store, 1000)}


def test_agreement_counts_both_kinds_of_error(shop):
    rollout = first(shop, "rollout")
    shown = evidence(shop.store, rollout)
    assert shown["judgement"] == "PASS"
    store_review(shop, shown, Word.WRONG, reviewer="ada", note="")
    store_review(shop, shown, Word.RIGHT, reviewer="bob", note="")
    (row,) = agreement(shop.store)
    assert (row["what"], row["judge"], row["n"], row["n_agree"]) == ("rollout", "judges", 2, 1)
    assert (row["n_false_accept"], row["n_false_reject"]) == (1, 0)
    assert 0 < row["low"] < 0.5 < row["high"] < 1


def test_an_item_that_is_not_there_is_refused(shop):
    with pytest.raises(UserError, match="matches 0 rollouts and 0 tasks"):
        evidence(shop.store, "nothing")
    with pytest.raises(UserError, match="must match 1"):
        evidence(shop.store, "")
