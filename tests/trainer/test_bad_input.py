"""What goes wrong inside a stage is named, written down, and leaves the last good checkpoint standing."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from trainer_stages import stage_file

from synth.graders import Case, Grade, Kind, Params, Referee, grader, read_config
from synth.graders.grader import GRADERS
from trainer import checkpoints, policies, run, stagefile
from trainer.stage import drain_all, next_attempt
from trainer.stagefile import StageFile
from warehouse.records import Domain, RunStatus, Stage, Status, StatusChange, Task
from warehouse.store import Store

STACK = '[[grader]]\nname = "right"\nuses = "verifier"\n[[grader]]\nname = "planted"\nuses = "planted_trouble"\n'
TROUBLE: list[Callable[[], Grade]] = []
"""What the planted grader does with every completion; the newest counts."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, train_tasks, warm_folder: Path) -> Path:
    if "planted_trouble" not in [known.name for known in GRADERS]:

        @grader("planted_trouble", version=1, kind=Kind.CONSTRAINT)
        class Trouble:
            Settings = Params

            def __init__(self, params: Params, referee: Referee | None) -> None:
                pass

            def grade(self, cases: list[Case]) -> list[Grade]:
                return [TROUBLE[-1]() for _ in cases]

    folder = tmp_path_factory.mktemp("home")
    long = Task(task_id="long", domain=Domain.MATH, family="rev", level=2, params={"answer_format": "bare"},
                prompt="rev " + "ab" * 40 + "?", answer_kind="text", gold="x")  # fmt: skip
    tasks = [*train_tasks[:60], long]
    accepted = [StatusChange(task_id=task.task_id, status=Status.ACCEPTED, reason="test") for task in tasks]
    with Store.open(folder) as store:
        shutil.copytree(warm_folder, folder / "checkpoints" / "warm")
        start = policies.record(policies.load("checkpoints/warm", folder), folder)
        store.commit([*tasks, *accepted, start], batch="tasks", purpose="test", run="r")
    return folder


def a_stage(home: Path, name: str, *, graders: str | None = None, **values) -> StageFile:
    with Store.open(home) as store:
        file = stage_file(home, Path("checkpoints/warm"), stage_id=name, snapshot_id=store.snapshot(), n_steps=8,
                          **values)  # fmt: skip
        row = Stage(stage_id=name, campaign_id="c", stage_index=0, kind="grpo", status=RunStatus.STARTED,
                    snapshot_id=file.snapshot_id, config={}, code_version="0")  # fmt: skip
        store.commit([row], batch=f"{name}:started", purpose="test", run="r")
    if graders is None:
        return file
    return file.model_copy(update={"trainer": file.trainer.model_copy(update={"graders": read_config(graders)})})


def ends(file: StageFile) -> str:
    """Run the stage as its process would; the failure that it wrote down."""
    path = stagefile.write(file, file.spool / "stage.toml")
    assert run.main([str(path)]) == run.EXIT_FAILED
    told = json.loads((file.spool / run.FAILURE).read_text())
    return f"{told['error']}: {told['message']}"


def stands(file: StageFile) -> None:
    """The checkpoint of step 2 is whole, the steps before it are in the warehouse, and a next attempt goes on."""
    assert checkpoints.newest(file.folder) is not None
    assert checkpoints.newest(file.folder).step == 2
    with Store.open(file.home) as store:
        drain_all(file, store)
        steps = store.rows("SELECT DISTINCT step FROM rollouts WHERE stage_id = $id", {"id": file.stage_id})
    assert {row["step"] for row in steps} >= {0, 1}
    assert next_attempt(file).attempt == 1


def after_two_steps(file: StageFile, model: torch.nn.Module, trouble: Callable[[], None]) -> None:
    """Have `trouble` strike in the first training pass after the checkpoint of step 2."""

    def strike(*_: object) -> None:
        if torch.is_grad_enabled() and (file.folder / "checkpoint-2" / checkpoints.MARK).is_file():
            trouble()

    model.register_forward_pre_hook(strike)


def out_of_memory(model: torch.nn.Module) -> Callable[[], None]:
    def trouble() -> None:
        raise torch.OutOfMemoryError("planted")

    return trouble


def broken_loss(model: torch.nn.Module) -> Callable[[], None]:
    def trouble() -> None:
        with torch.no_grad():
            model.lm_head.weight[3] = float("nan")

    return trouble


def broken_gradient(model: torch.nn.Module) -> Callable[[], None]:
    def trouble() -> None:
        model.lm_head.weight.register_hook(lambda gradient: gradient * float("inf"))

    return trouble


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        (out_of_memory, "StageFailed: out of memory: planted; see: [stage] prompts_per_step"),
        pytest.param(broken_loss, "Diverged: the loss is nan at step 2", marks=pytest.mark.slow),
        (broken_gradient, "Diverged: the gradient norm is inf at step 2"),
    ],
)
def test_what_breaks_in_a_step_is_named_and_the_last_checkpoint_stands(home, monkeypatch, trouble, told):
    file = a_stage(home, trouble.__name__, entropy_coef=0.01)
    guard = file.trainer.guard.model_copy(update={"watch_only": True})
    file = file.model_copy(update={"trainer": file.trainer.model_copy(update={"guard": guard})})
    whole = policies.load

    def load(spec, *rest, **more):
        policy = whole(spec, *rest, **more)
        after_two_steps(file, policy.model, trouble(policy.model))
        return policy

    monkeypatch.setattr(policies, "load", load)
    assert ends(file) == told
    stands(file)


def raising() -> Grade:
    raise ZeroDivisionError("planted")


def hanging() -> Grade:
    time.sleep(1)
    return Grade(1.0)


@pytest.mark.parametrize(
    ("trouble", "told", "timeout_s"),
    [
        (raising, "RewardFailed: grading 16 completions raised ZeroDivisionError: planted", 600.0),
        pytest.param(
            hanging,
            "RewardFailed: grading 16 completions took longer than 2 s; see: [stage] reward_timeout_s",
            2.0,
            marks=pytest.mark.slow,
        ),
        pytest.param(
            lambda: Grade(None),
            "RewardFailed: no rollout could be judged in 5 steps in a row",
            600.0,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_grader_in_trouble_is_named_and_the_last_checkpoint_stands(home, trouble, told, timeout_s):
    file = a_stage(home, f"grader-{told[:40]}", graders=STACK, reward_timeout_s=timeout_s)

    def late() -> Grade:
        return trouble() if any(file.folder.glob(f"checkpoint-*/{checkpoints.MARK}")) else Grade(1.0)

    TROUBLE.append(late)
    assert ends(file).startswith(told)
    newest = checkpoints.newest(file.folder)
    assert newest is not None
    assert newest.step == (2 if trouble in (raising, hanging) else 6)


def test_a_prompt_that_leaves_no_room_in_the_context_is_left_out_and_counted(home, capsys):
    file = a_stage(home, "long", checkpoint_every=8)
    assert run.main([str(stagefile.write(file, file.spool / "stage.toml"))]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines() if "left_out" in line]
    assert told == [{"left_out": 1, "max_prompt_tokens": 50}]
    with Store.open(home) as store:
        drain_all(file, store)
        assert store.rows("SELECT count(*) AS n FROM rollouts WHERE task_id = 'long'") == [{"n": 0}]


def test_a_policy_without_chat_template_reads_prompts_bare(home):
    policy = policies.load("checkpoints/warm", home)
    assert not policy.chat
    assert policy.render("rev ab?") == "rev ab?"
