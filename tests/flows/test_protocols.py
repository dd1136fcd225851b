"""What a policy is measured and trained on when the warehouse has grown since."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from planted_campaign import CAMPAIGN, CONFIG, EVEN, HELDOUT, TRAIN

from flows.steps.current import origin_of
from flows.steps.evaluation import evaluate_policy, protocol_of
from flows.steps.pools import trained_on
from trainer.evaluate import protocol_hash
from warehouse.errors import UserError
from warehouse.records import Evaluation, Run, RunStatus, Status, StatusChange


@pytest.fixture
def grown(planted):
    """A planted campaign, measured before other tasks came: more held-out ones, and ones of no family of its own."""
    measured = protocol_hash(HELDOUT, CONFIG.evaluation)
    plain = planted.evaluation
    planted.evaluation = lambda *args: [replace(row, protocol_hash=measured) for row in plain(*args)]
    planted.stage(0, EVEN)
    later = [replace(task, task_id=f"later-{task.task_id}", prompt=f"later {task.prompt}") for task in HELDOUT[::12]]
    others = [replace(task, task_id=f"o-{task.task_id}", family="mine", source="mine") for task in TRAIN[:5]]
    others += [replace(task, task_id=f"p-{task.task_id}", family="inc") for task in TRAIN[5:7]]
    accepted = [StatusChange(task_id=t.task_id, status=Status.ACCEPTED, reason="ok") for t in (*later, *others)]
    gone = StatusChange(task_id=HELDOUT[0].task_id, status=Status.RETIRED, reason="mastered")
    run = Run(
        run="one",
        campaign_id=CAMPAIGN,
        flow="run_campaign",
        status=RunStatus.FINISHED,
        config=CONFIG.model_dump(mode="json"),
        code_version="1",
        started_at=datetime.now(UTC),
    )
    other = replace(run, run="two", campaign_id=None, flow="import_corpus", config={"name": "jsonl"})
    planted.shop.commit([*later, *others, *accepted, gone, run, other], batch="later", purpose="planted")
    return planted


def test_a_policy_is_measured_as_another_was_though_tasks_came_and_went(grown):
    shop = grown.shop
    stored = shop.store.read(Evaluation)[0].protocol_hash
    assert protocol_of(shop, CONFIG).hash != stored
    found = protocol_of(shop, CONFIG, "policy0")
    assert found.hash == stored
    assert {task.task_id for task in found.tasks} == {task.task_id for task in HELDOUT}
    assert found.settings == CONFIG.evaluation
    own = evaluate_policy(shop, CONFIG, "policy0", like="policy0")
    assert {row.protocol_hash for row in shop.store.read(Evaluation, "eval_id = $id", {"id": own})} == {stored}
    assert origin_of(shop) == f"campaign {CAMPAIGN}"


def test_a_protocol_that_nothing_stored_explains_is_refused(planted):
    planted.stage(0, EVEN)
    assert origin_of(planted.shop).startswith("the defaults")
    with pytest.raises(UserError, match="no stored configuration gives protocol h of policy policy0"):
        protocol_of(planted.shop, CONFIG, "policy0")


def test_tasks_that_no_training_draws_from_are_named_with_the_keys_that_add_them(grown):
    told = trained_on(grown.shop, CONFIG)
    assert "trains on the families rev, sort and no imported source" in told
    assert "left out: 7 (inc 2, mine 5)" in told
    assert "synthesis.families and synthesis.sources" in told
    wider = CONFIG.model_copy(
        update={
            "synthesis": CONFIG.synthesis.model_copy(update={"families": ("rev", "sort", "inc"), "sources": ("mine",)})
        }
    )
    assert trained_on(grown.shop, wider) == ("trains on the families rev, sort, inc and the imported sources mine")
