"""What is retried and what is limited, and an embedded server that dies before it answers."""

from __future__ import annotations

import sys

import pytest
from prefect import Task
from prefect.settings import PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS, temporary_settings
from prefect.states import Failed

from flows import orchestration, run_campaign, train_stage, upkeep
from flows.orchestration import GPU, LIMITS, UPKEEP
from flows.serving.server import ServerFailed
from trainer.errors import Diverged, StageKilled
from warehouse.errors import UserError
from warehouse.failures import WarehouseFailed

TASKS = {
    one.name: one
    for module in (run_campaign, train_stage, upkeep)
    for one in vars(module).values()
    if isinstance(one, Task)
}


def test_only_what_is_a_no_op_once_done_is_retried_and_only_so_often():
    assert {name: one.retries for name, one in TASKS.items() if one.retries} == {"train": 1, "upkeep": 2}


@pytest.mark.parametrize("error", [StageKilled("killed by signal 9"), WarehouseFailed("the catalog is away")])
def test_a_failure_that_may_pass_is_tried_again(error):
    assert orchestration._may_pass(None, None, Failed(data=error))


@pytest.mark.parametrize("error", [Diverged("nan"), UserError("no such plan"), ValueError("x"), KeyboardInterrupt()])
def test_a_failure_that_would_come_again_is_not(error):
    assert not orchestration._may_pass(None, None, Failed(data=error))


def test_what_needs_the_gpu_or_tends_the_warehouse_holds_a_place_of_the_server():
    held = {name: one.tags for name, one in TASKS.items() if one.tags}
    assert held.pop("upkeep") == {UPKEEP}
    assert held == {name: {GPU} for name in ("warm start", "train", "calibrate", "evaluate", "write")}
    assert LIMITS == {GPU: 1, UPKEEP: 1}


def test_a_server_that_dies_in_its_start_is_said_at_once_with_its_last_words(tmp_path, monkeypatch):
    from flows.serving.embedded import TRIES, start_embedded

    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\necho start >> {tmp_path}/starts\necho 'no such table: flow' >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    with pytest.raises(
        ServerFailed, match=r"ended with code 3 while it started \(no such table: flow\); see: .*server\.log"
    ):
        start_embedded()
    assert (tmp_path / "starts").read_text().count("start") == TRIES


@pytest.mark.slow
@pytest.mark.parametrize(("error", "calls"), [(StageKilled("killed by signal 9"), 2), (UserError("no such plan"), 1)])
def test_a_step_is_repeated_by_a_real_server_where_that_may_help(tmp_path, monkeypatch, error, calls):
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    made: list[int] = []

    @orchestration.step("fails once", retries=1)
    def once() -> str:
        made.append(1)
        if len(made) == 1:
            raise error
        return "done"

    @orchestration.verb_flow("repeating")
    def repeating() -> str:
        return once()

    with temporary_settings({PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS: 300}):
        if calls == 2:
            assert repeating() == "done"
        else:
            with pytest.raises(type(error)):
                repeating()
    assert len(made) == calls
