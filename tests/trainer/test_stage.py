"""Stages as processes of their own, with a real warehouse around them."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from safetensors.torch import load_file
from trainer_stages import STACK, stage_file

from flows.settings import Settings
from flows.steps.grading import conflict_matrix
from synth.graders import read_config
from trainer import policies, run, stagefile
from trainer.config import SftConfig
from trainer.errors import StageFailed
from trainer.stage import drain_all, next_attempt, run_stage
from warehouse.errors import UserError
from warehouse.records import Judgement, RunStatus, Stage, Status, StatusChange
from warehouse.store import Store

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, train_tasks, heldout_tasks, warm_folder: Path) -> Path:
    """A home of tasks and a policy, which tests copy."""
    folder, tasks = tmp_path_factory.mktemp("filled"), [*train_tasks, *heldout_tasks]
    accepted = [StatusChange(task_id=t.task_id, status=Status.ACCEPTED, reason="test") for t in tasks]
    with Store.open(folder) as store:
        shutil.copytree(warm_folder, folder / "checkpoints" / "warm")
        start = policies.record(policies.load("checkpoints/warm", folder), folder)
        store.commit([*tasks, *accepted, start], batch="tasks", purpose="test", run="r")
    return folder


@pytest.fixture
def home(filled: Path, tmp_path: Path) -> Path:
    return shutil.copytree(filled, tmp_path, dirs_exist_ok=True)


def a_stage(home: Path, store: Store, **values) -> stagefile.StageFile:
    file = stage_file(home, Path("checkpoints/warm"), snapshot_id=store.snapshot(), **{"n_steps": 6, **values})
    row = Stage(
        stage_id=file.stage_id, campaign_id="c", stage_index=0, kind="grpo", status=RunStatus.STARTED,
        snapshot_id=file.snapshot_id, config={}, code_version="0",
    )  # fmt: skip
    store.commit([row], batch=f"{file.stage_id}:started", purpose="test", run="r")
    return file


def test_a_stage_leaves_every_rollout_draw_and_metric_in_the_warehouse(home: Path, judge, train_tasks):
    seen = []
    with Store.open(home) as store:
        result = run_stage(a_stage(home, store), store, progress=seen.append)
        rollouts = store.rows("SELECT * FROM rollouts")
        draws = store.rows("SELECT * FROM draws")
        metrics = {row["name"] for row in store.rows("SELECT DISTINCT name FROM metrics")}
    assert (result.n_steps, result.n_rollouts, result.step, result.reason) == (6, 96, 6, None)
    assert [row["step"] for row in seen] == [1, 2, 3, 4, 5, 6]
    assert len(rollouts) == 96 == len({row["rollout_id"] for row in rollouts})
    place = {(row["step"], row["slot"]): row["task_id"] for row in draws}
    assert len(place) == 24
    assert all(place[row["step"], row["slot"]] == row["task_id"] for row in rollouts)
    assert {"loss", "entropy", "frac_reward_zero_std", "rewards/task/mean"} <= metrics
    assert (home / result.checkpoint / "model.safetensors").is_file()
    by_id = {task.task_id: task for task in train_tasks}
    words = judge.judge(
        [by_id[row["task_id"]] for row in rollouts],
        [row["completion"] for row in rollouts],
        truncated=[row["finish_reason"] == "length" for row in rollouts],
    )
    assert [word.reward for word in words] == [row["reward"] for row in rollouts]
    assert all(row["mean_entropy"] is not None for row in rollouts)


def test_graders_of_a_stage_meet_in_the_conflict_matrix(home: Path):
    with Store.open(home) as store:
        file = a_stage(home, store, n_steps=3)
        file = file.model_copy(update={"trainer": file.trainer.model_copy(update={"graders": read_config(STACK)})})
        run.run(file)
        drain_all(file, store)
        stored = store.rows("SELECT count(*) AS n FROM rollouts WHERE json_exists(parts, '$.short')")
    (cell,) = [
        row for row in conflict_matrix(Settings(home=home)) if (row["first"], row["second"]) == ("right", "short")
    ]
    assert cell["n"] == stored[0]["n"] == 3 * 16
    assert cell["bucket"] == "unknown"
    assert cell["correlation"] is not None
    assert 0 <= cell["flip_rate"] <= 1


def test_a_supervised_stage_imitates_what_the_snapshot_holds_and_a_reinforced_one_follows(home: Path):
    with Store.open(home) as store:
        file = a_stage(home, store, stage_id="sft", kind="sft")
        sft = SftConfig(n_steps=4, batch_size=16, entropy_every=2, entropy_tasks=4)
        file = file.model_copy(update={"trainer": file.trainer.model_copy(update={"sft": sft})})
        made = run.run(file)
        drain_all(file, store)
        names = {row["name"] for row in store.rows("SELECT DISTINCT name FROM metrics WHERE owner = 'sft'")}
        start = str(made.checkpoint.folder.relative_to(home))
        after = run.run(a_stage(home, store, stage_id="rl", n_steps=2).model_copy(update={"policy": start}))
    assert made.n_steps == 4
    assert {"loss", "sampled_entropy"} <= names
    assert after.checkpoint.policy_id != made.checkpoint.policy_id


def test_kill_9_then_run_again_ends_in_the_same_weights(home: Path):
    with Store.open(home) as store:
        whole = run.run(a_stage(home, store, stage_id="whole")).checkpoint
        stage = a_stage(home, store, stage_id="killed")
        path = stagefile.write(stage, stage.spool / "stage.toml")
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
        with subprocess.Popen(
            [sys.executable, "-m", "trainer.run", str(path)], stdout=subprocess.PIPE, text=True, env=environment
        ) as process:
            for line in process.stdout or ():
                if line.startswith("{") and json.loads(line)["step"] == 3:
                    process.kill()
                    break
        again = next_attempt(stage)
        assert again.attempt == 1
        result = run_stage(again, store)
        rows = store.read(Stage, "stage_id = 'killed'")
        made = policies.record(policies.load(result.checkpoint, home), home)
        ended = replace(rows[0], status=RunStatus.FINISHED, attempt=1, n_steps=6, policy_out=made.policy_id)
        store.commit([made, ended], batch="killed:finished", purpose="test", run="r")
        recent = store.rows("SELECT steps_before, count(*) AS n FROM recent_rollouts GROUP BY ALL")
        kept = store.rows(
            "SELECT step, max(stage_attempt) AS attempt FROM rollouts WHERE stage_id = 'killed' GROUP BY step"
        )
    assert result.step == whole.step == 6
    assert {row["step"]: row["attempt"] for row in kept} == {0: 0, 1: 0, 2: 1, 3: 1, 4: 1, 5: 1}
    assert {row["steps_before"]: row["n"] for row in recent} == dict.fromkeys(range(6), 16)
    first, second = (load_file(folder / "model.safetensors") for folder in (whole.folder, home / result.checkpoint))
    assert all(bool((first[name] == second[name]).all()) for name in first)


def test_a_stage_that_cannot_run_says_why(home: Path, capsys: pytest.CaptureFixture[str]):
    with Store.open(home) as store:
        empty = a_stage(home, store, arms=("rev/99/gradatim",))
        broken = a_stage(home, store, stage_id="b", continue_from="checkpoints/warm")
    for stage, word in ((empty, "no task left to train on"), (broken, "is not whole")):
        path = stagefile.write(stage, stage.spool / "stage.toml")
        assert run.main([str(path)]) == run.EXIT_FAILED
        assert word in capsys.readouterr().err
        assert word in json.loads((stage.spool / run.FAILURE).read_text())["message"]
    assert run.main([]) == 2


def test_a_stage_is_trained_by_one_process_at_a_time_and_the_flow_gets_its_own_error(home: Path, monkeypatch):
    monkeypatch.setattr("trainer.stage.ORPHAN_S", 0.0)
    with Store.open(home) as store:
        stage = a_stage(home, store, trl={"temperature": 0.5})
        stage.spool.parent.mkdir(parents=True)
        with (stage.spool.parent / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with pytest.raises(StageFailed, match="being trained by another process"):
                run_stage(stage, store)
            assert not (stage.spool / "stage.toml").exists()
        with pytest.raises(StageFailed, match=r"KnobRefused: \[stage.trl\] temperature is decided by"):
            run_stage(stage, store)


@pytest.mark.slow
def test_two_processes_keep_groups_whole(home: Path):
    """3 prompts x 4 rollouts over two gloo processes: one group lies on both, is one task's, and is settled as one."""
    with Store.open(home) as store:
        stage = a_stage(home, store, prompts_per_step=3, group_size=4, arms=("rev/2/gradatim", "sort/2/gradatim"))
        trainer = stage.trainer.model_copy(update={"graders": read_config(STACK)})
        stage = stage.model_copy(update={"trainer": trainer})
        path = stagefile.write(stage, stage.spool / "stage.toml")
        launch = [sys.executable, "-m", "accelerate.commands.launch", "--config_file"]
        command = [*launch, str(ROOT / "configs/accelerate/two_cpu_processes.yaml"), "-m", "trainer.run", str(path)]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "ACCELERATE_USE_CPU": "true"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        drain_all(stage, store)
        groups = store.rows(
            "SELECT r.step, r.slot, count(*) AS n, count(DISTINCT r.task_id) AS tasks, min(r.task_id) AS task, "
            "list(r.judgement) AS words, list(json_value(r.parts, '$.\"S/costs\"')::DOUBLE) AS costs "
            "FROM rollouts AS r GROUP BY r.step, r.slot"
        )
        draws = {(row["step"], row["slot"]): row["task_id"] for row in store.rows("SELECT * FROM draws")}
    assert len(groups) == 18
    assert all((g["n"], g["tasks"]) == (4, 1) for g in groups)
    assert all(draws[g["step"], g["slot"]] == g["task"] for g in groups)
    mixed = [0 < g["words"].count(Judgement.PASS) < 4 for g in groups]
    assert [set(g["costs"]) for g in groups] == [{float(acts)} for acts in mixed]
    assert any(acts for acts, g in zip(mixed, groups, strict=True) if g["slot"] == 1)


def test_a_stage_file_survives_its_own_format(tmp_path: Path):
    stage = stage_file(
        tmp_path, Path("p"), scheduler_config={"weights": {"rev/2/gradatim": 0.25, 'o"dd': 0.75}}, arms=("a", "b"),
        trl={"max_grad_norm": 0.5, "report_to": ["tensorboard"]},
    )  # fmt: skip
    assert stagefile.read(stagefile.write(stage, tmp_path / "stage.toml")) == stage


@pytest.mark.parametrize(
    ("text", "word"),
    [("home = ", "cannot be read"), ("home = 'x'\nnope = 1", "run_id: Field required"), (None, "cannot be read")],
)
def test_a_bad_stage_file_is_one_line(tmp_path: Path, text, word):
    path = tmp_path / "stage.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match=word) as error:
        stagefile.read(path)
    assert "\n" not in str(error.value)
