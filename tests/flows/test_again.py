"""A stage trained once more from its plan, long after: the pool moved on, files were merged, snapshots expired."""

from __future__ import annotations

import shutil
from datetime import timedelta

import pytest

from flows.settings import prepared
from flows.steps.again import file_again, finished_stage, train_again
from flows.workshop import looking
from warehouse.errors import UserError
from warehouse.records import Split, Status, StatusChange
from warehouse.store import Store
from warehouse.upkeep import clean, compact, expire


@pytest.fixture
def moved_on(campaign, tmp_path):
    """A copy of the finished campaign in which the pool is another one by now."""
    home = shutil.copytree(campaign.home, tmp_path / "copy")
    with Store.open(home) as store:
        tasks = store.tasks(split=Split.TRAIN)
        gone = [StatusChange(task_id=task.task_id, status=Status.RETIRED, reason="a month later") for task in tasks[1:]]
        store.commit(gone, batch="a month later", purpose="retired", run="upkeep")
        compact(store)
        assert expire(store, older_than=timedelta(0))
        clean(store, older_than=timedelta(0))
    return home


def test_a_stage_is_trained_again_from_its_plan_although_the_pool_moved_on(campaign, moved_on):
    last = campaign.ended.value["stages"][-1]
    with looking(prepared(moved_on)) as shop:
        stage = finished_stage(shop, shop.store.rows("SELECT stage_id FROM current_policies WHERE policy_id = $p", {
            "p": last["policy_out"]})[0]["stage_id"])  # fmt: skip
        left = file_again(shop, stage)
        before = shop.store.snapshot()
        shutil.rmtree(moved_on / "spool")
        assert file_again(shop, stage).model_dump(exclude={"home", "run_id"}) == left.model_dump(
            exclude={"home", "run_id"}
        )
        found = train_again(shop, stage.stage_id[:12])
    assert found["policy_again"] == found["policy_out"] == last["policy_out"]
    assert found["n_draws"] == found["n_draws_equal"] > 0
    with Store.open(moved_on, read_only=True) as store:
        assert store.snapshot() == before
    assert not (moved_on / "checkpoints" / left.stage_id).exists()


def test_a_stage_that_is_not_there_is_refused(moved_on, verb):
    with looking(prepared(moved_on)) as shop, pytest.raises(UserError, match="matches 0 finished stages"):
        train_again(shop, "nothing")
    for asked in ([], ["--mixture", "aa", "--again", "bb"]):
        ended = verb(moved_on, "train", *asked)
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert "--mixture PLAN or --again STAGE" in ended.err
