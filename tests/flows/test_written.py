"""Written tasks: proposed by one model, admitted by another, audited by programs, and done once."""

from __future__ import annotations

import shutil
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest
from scipy.stats import binomtest

from flows.campaign import CampaignConfig, CampaignIds, campaign_ids, read_config
from flows.report import build
from flows.settings import Settings
from flows.steps import pocket_pair, written
from flows.steps.pools import heldout_tasks, training_tasks
from flows.workshop import Workshop
from synth.audit.written import CHECK, WRONG
from synth.family import FAMILIES, Item
from synth.graders import Judge
from warehouse.records import Attempt, AttemptOutcome, Outcome, Status, StatusChange, Task, Verdict
from warehouse.store import Store

CONFIG = CampaignConfig.model_validate(
    {
        "synthesis": {"families": ["rev", "inc"]},
        "writing": {
            "n_proposals": 540,
            "families": ["rev", "inc"],
            "levels": [2, 3],
            "writer": {"n_steps": 60, "n_lessons": 1024, "batch_size": 64},
            "checker": {"n_steps": 90, "n_lessons": 1024, "batch_size": 64},
            "n_votes": 2,
        },
    }
)
IDS = CampaignIds(campaign="written0", baseline="")


class Cut(Exception):
    """The process ends here."""


class Cutting(Workshop):
    """A workshop whose process ends after a number of commits of one purpose."""

    def __init__(self, shop: Workshop, after: int) -> None:
        super().__init__(settings=shop.settings, store=shop.store, judge=shop.judge, run=shop.run)
        self.after = after

    def commit(self, records, *, batch, purpose):
        if purpose.startswith(("write", "audit")):
            if self.after == 0:
                raise Cut
            self.after -= 1
        return super().commit(records, batch=batch, purpose=purpose)


@pytest.fixture(scope="module")
def judge():
    with Judge(workers=1) as judge:
        yield judge


def shop_at(home, judge, stack):
    store = stack.enter_context(Store.open(home, threads=1))
    return Workshop(settings=Settings(home=home), store=store, judge=judge, run="run")


@pytest.fixture(scope="module")
def shop(tmp_path_factory, judge):
    with ExitStack() as stack:
        made = shop_at(tmp_path_factory.mktemp("written") / "home", judge, stack)
        written.write_tasks(made, CONFIG, IDS)
        yield made


def attempts(shop):
    return shop.store.read(Attempt, "generator_kind = 'model'")


def right(task: Task) -> bool:
    item = Item(prompt=task.prompt, answer_kind=task.answer_kind, reference="")
    return FAMILIES.get(task.family).solve(item) == task.gold


def test_every_reply_is_an_attempt_with_an_outcome(shop):
    rows = attempts(shop)
    assert len(rows) == 540
    assert all((row.reason is None) == (row.outcome is AttemptOutcome.ADMITTED) for row in rows)
    assert {(row.generator, row.generator_lineage) for row in rows} == {("pocket-writer/pocket", "pocket-writer")}
    reasons = Counter((row.reason or "admitted").split(":")[0] for row in rows)
    assert {"admitted", "writer", "duplicate", "blind"} <= reasons.keys()


def test_only_what_the_other_lineage_confirmed_is_admitted_and_only_what_is_right_stays(shop):
    admitted = {row.task_id for row in attempts(shop) if row.outcome is AttemptOutcome.ADMITTED}
    blind = {v.task_id: v for v in shop.store.read(Verdict, "\"check\" = 'blind'")}
    assert all(blind[name].outcome is Outcome.PASS for name in admitted)
    assert {verdict.verifier_lineage for verdict in blind.values()} == {"pocket-checker"}
    accepted = shop.store.tasks()
    wrong = {task.task_id for task in shop.store.tasks(status=None, task_ids=sorted(admitted)) if not right(task)}
    assert {task.task_id for task in accepted} == admitted - wrong
    quarantined = shop.store.read(StatusChange, "status = 'quarantined' AND reason = $why", {"why": WRONG})
    assert {change.task_id for change in quarantined} == wrong


def test_the_audit_is_of_every_task_and_says_what_is_true(shop):
    tasks = {task.task_id: task for task in shop.store.tasks(status=None)}
    audits = {v.task_id: v for v in shop.store.read(Verdict, '"check" = $check', {"check": CHECK})}
    assert audits.keys() == tasks.keys()
    assert all((audits[name].outcome is Outcome.PASS) == right(task) for name, task in tasks.items())


def test_the_figures_are_what_a_count_by_hand_gives(shop):
    separated, alone = written.figures(shop, IDS.campaign)
    rows, tasks = attempts(shop), {task.task_id: task for task in shop.store.tasks(status=None)}
    malformed = sum(str(row.reason).startswith("writer:") for row in rows)
    admitted = {row.task_id for row in rows if row.outcome is AttemptOutcome.ADMITTED}
    tried = {v.task_id for v in shop.store.read(Verdict, "\"check\" = 'blind'")}
    n_right = sum(right(tasks[name]) for name in tried)
    assert (separated["verification"], alone["verification"]) == ("separated", "alone")
    assert separated["n_proposals"] == 540
    assert separated["n_well_formed"] == 540 - malformed
    assert separated["n_duplicates"] == sum(str(row.reason).startswith("duplicate") for row in rows)
    assert (separated["n_examined"], separated["n_tried"]) == (len(tasks), len(tried))
    assert separated["n_wrong"] == sum(not right(task) for task in tasks.values())
    assert separated["n_admitted"] == len(admitted)
    assert separated["n_admitted_wrong"] == sum(not right(tasks[name]) for name in admitted)
    assert separated["false_reject_rate"] == pytest.approx(
        sum(right(tasks[name]) for name in tried - admitted) / n_right
    )
    assert separated["yield_rate"] == pytest.approx(len(admitted) / (540 - malformed))
    own = {v.task_id: v.evidence.get("alone") for v in shop.store.read(Verdict, '"check" = $check', {"check": CHECK})}
    let_in = {name for name, word in own.items() if word == "pass"}
    assert alone["n_admitted"] == len(let_in)
    assert alone["n_admitted_wrong"] == sum(not right(tasks[name]) for name in let_in)
    assert own.keys() - {name for name, word in own.items() if word} == tasks.keys() - tried


def test_intervals_are_wilsons(shop):
    for row in written.figures(shop, IDS.campaign):
        counts = {
            "admitted_wrong": (row["n_admitted_wrong"], row["n_admitted"]),
            "false_accept": (row["n_admitted_wrong"], row["n_tried_wrong"]),
            "false_reject": (row["n_refused_right"], row["n_tried_right"]),
        }
        for name, (count, n) in counts.items():
            ends = binomtest(count, n).proportion_ci(method="wilson")
            assert (row[f"{name}_low"], row[f"{name}_high"]) == pytest.approx(ends, abs=1e-6)


def test_the_result_tells_each_rate_with_its_interval(shop):
    separated = written.told(shop, IDS.campaign)["separated"]
    for name in ("admitted_wrong", "false_accept", "false_reject"):
        assert separated[name]["low"] <= separated[name]["value"] <= separated[name]["high"]
    assert separated["admitted_wrong"]["n"] == separated["n_admitted"]


def test_written_tasks_enter_the_splits_and_arms_like_any_other(shop):
    both = [*training_tasks(shop, CONFIG), *heldout_tasks(shop, CONFIG)]
    assert {task.source for task in both} == {"pocket-writer"}
    assert {task.arm.split("/")[0] for task in both} <= {"rev", "inc"}
    assert all(len(task.prompt.split()[1]) - 1 == task.level for task in both)


def test_done_is_done(shop):
    before = shop.store.snapshot()
    written.write_tasks(shop, CONFIG, IDS)
    assert shop.store.snapshot() == before


def test_another_campaign_of_the_home_is_taught_nothing_and_writes_other_tasks(shop, monkeypatch):
    monkeypatch.delattr(pocket_pair, "taught")
    before = {task.task_id for task in shop.store.tasks(status=None)}
    small = CONFIG.writing.model_copy(update={"n_proposals": 20})
    other = CampaignIds(campaign="written1", baseline="", nonce="new")
    written.write_tasks(shop, CONFIG.model_copy(update={"writing": small}), other)
    mine = shop.store.read(Attempt, "campaign_id = 'written1'")
    assert len(mine) == 20
    assert {row.task_id for row in mine if row.reason is None}.isdisjoint(before)


@pytest.mark.parametrize("after", [2, 4])
def test_a_process_that_ends_midway_leaves_the_same_tasks_in_the_end(shop, judge, tmp_path, after):
    home = tmp_path / "home"
    shutil.copytree(shop.home.checkpoints, home / "checkpoints")
    with ExitStack() as stack:
        again = shop_at(home, judge, stack)
        with pytest.raises(Cut):
            written.write_tasks(Cutting(again, after), CONFIG, IDS)
        written.write_tasks(again, CONFIG, IDS)
        own = {"campaign": IDS.campaign}
        same = "campaign_id = $campaign"
        told = [
            {(row.attempt_id, row.task_id, row.reason) for row in one.store.read(Attempt, same, own)}
            for one in (shop, again)
        ]
        assert told[0] == told[1]
        assert written.figures(again, IDS.campaign) == written.figures(shop, IDS.campaign)
        statuses = again.store.rows("SELECT count(*) AS n FROM current_tasks WHERE status = 'accepted'")
        kept = {row[1] for row in told[0] if row[2] is None}
        wrong = again.store.read(StatusChange, "status = 'quarantined' AND reason = $why", {"why": WRONG})
        assert statuses == [{"n": len(kept) - len(wrong)}]


def test_the_report_shows_both_ways_to_verify(shop, tmp_path):
    page = build(shop.store, IDS.campaign, tmp_path / "report.html").read_text("utf-8")
    separated = written.figures(shop, IDS.campaign)[0]
    wrong = f"{separated['n_admitted_wrong']} of {separated['n_admitted']:,}: "
    for text in ("itself, alone", "pocket-checker", wrong, "by its own word alone"):
        assert text in page


def test_no_writing_leaves_nothing_and_its_settings_are_part_of_the_campaign(shop):
    before = shop.store.snapshot()
    written.write_tasks(shop, CampaignConfig(), CampaignIds(campaign="none", baseline=""))
    assert shop.store.snapshot() == before
    assert campaign_ids(CONFIG, {}) != campaign_ids(CONFIG.model_copy(update={"writing": CampaignConfig().writing}), {})


def test_a_status_is_never_accepted_where_the_audit_failed(shop):
    rows = shop.store.rows(
        "SELECT count(*) AS n FROM current_tasks t JOIN verdicts v USING (task_id) "
        "WHERE t.status = $status AND v.outcome <> 'pass'",
        {"status": str(Status.ACCEPTED)},
    )
    assert rows == [{"n": 0}]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_reach_of_the_pocket_campaign(tmp_path, judge, seed):
    config = read_config(Path("configs/pocket.toml")).model_copy(update={"seed": seed})
    with ExitStack() as stack:
        full = shop_at(tmp_path / "home", judge, stack)
        written.write_tasks(full, config, IDS)
        separated, alone = written.figures(full, IDS.campaign)
    assert separated["n_admitted"] >= 2000
    assert separated["wrong_rate"] >= 0.1
    assert separated["admitted_wrong_rate"] <= 0.01
    assert separated["admitted_wrong_high"] <= 0.015
    assert separated["yield_rate"] > 0.4
    assert alone["admitted_wrong_low"] > separated["admitted_wrong_high"]
