"""A GRPO stage on rubric tasks: a model behind a server judges, in the stage's own process, and the policy learns."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from trainer_stages import stage_file

sys.path.insert(0, str(Path(__file__).parents[1] / "synth" / "engines"))

from model_server import Handler, ModelServer, serving

from synth.engines import ModelConfig
from trainer import policies, run, stagefile
from trainer.stage import drain_all, run_stage
from trainer.stagefile import StageFile
from warehouse.records import Domain, Judgement, RunStatus, Stage, Status, StatusChange, Task, TaskKind, content_hash
from warehouse.store import Store

CRITERIA = [
    {"text": "Does it begin with a, b, c or d?", "weight": 2},
    {"text": "Is it one word of at most three letters?", "weight": 1},
]


def rubric(prompt: str) -> Task:
    return Task(
        task_id=content_hash("rubric", prompt), domain=Domain.RUBRIC, family="rubric", level=0, prompt=prompt,
        params={"criteria": CRITERIA, "bad_answers": ["hgfehg"]}, reference="abc", answer_kind="rubric",
        kind=TaskKind.NON_VERIFIABLE,
    )  # fmt: skip


def met(answer: str) -> list[bool]:
    """Which criteria an answer meets."""
    return [answer[:1] in tuple("abcd"), re.fullmatch("[a-z]{1,3}", answer) is not None]


def worth(answer: str) -> float:
    return sum(bool(yes) * one["weight"] for yes, one in zip(met(answer), CRITERIA, strict=True)) / 3


def says(handler: Handler, payload: dict[str, Any], number: int) -> None:
    """A fair judge: it finds question and answer between its nonces and replies in the form that it is asked for."""
    prompt = payload["messages"][-1]["content"]
    nonce = re.search(r"lines marked (\w+)", prompt)[1]
    answer = re.search(rf"{nonce} answer\n(.*?)\n{nonce} end of answer", prompt, re.DOTALL)[1]
    place = [str(one["text"]) in prompt.split("Question: ")[-1] for one in CRITERIA].index(True)
    handler.reply([f"{nonce} {'yes' if met(answer)[place] else 'no'}"])


def praises(handler: Handler, payload: dict[str, Any], number: int) -> None:
    nonce = re.search(r"lines marked (\w+)", payload["messages"][-1]["content"])[1]
    handler.reply([f"{nonce} yes"])


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, train_tasks, warm_folder: Path) -> Path:
    """A home of tasks and a policy, which tests copy."""
    folder = tmp_path_factory.mktemp("filled")
    words = [task for task in train_tasks if task.family in ("rev", "sort")]
    tasks = [*(rubric(task.prompt) for task in words[::6]), *words[:60]]
    accepted = [StatusChange(task_id=task.task_id, status=Status.ACCEPTED, reason="test") for task in tasks]
    with Store.open(folder) as store:
        shutil.copytree(warm_folder, folder / "checkpoints" / "warm")
        start = policies.record(policies.load("checkpoints/warm", folder), folder)
        store.commit([*tasks, *accepted, start], batch="tasks", purpose="test", run="r")
    return folder


@pytest.fixture
def home(filled: Path, tmp_path: Path) -> Path:
    return shutil.copytree(filled, tmp_path, dirs_exist_ok=True)


def a_stage(home: Path, server: ModelServer, *, lineage: str = "paper", **values: Any) -> StageFile:
    referee = ModelConfig(model="m", lineage=lineage, endpoints=(server.url,), tries=2, longest_wait_s=0.1)
    with Store.open(home) as store:
        file = stage_file(home, Path("checkpoints/warm"), snapshot_id=store.snapshot(), **values)
        row = Stage(
            stage_id=file.stage_id, campaign_id="c", stage_index=0, kind="grpo", status=RunStatus.STARTED,
            snapshot_id=file.snapshot_id, config={}, code_version="0",
        )  # fmt: skip
        store.commit([row], batch="started", purpose="test", run="r")
    return file.model_copy(update={"trainer": file.trainer.model_copy(update={"referee": referee})})


def trained(file: StageFile) -> int:
    """The exit code of the stage, run in this process from its own file."""
    return run.main([str(stagefile.write(file, file.spool / "stage.toml"))])


def rollouts(file: StageFile) -> list[dict[str, Any]]:
    with Store.open(file.home) as store:
        drain_all(file, store)
        return store.rows(
            "SELECT r.*, t.domain FROM rollouts AS r JOIN tasks AS t USING (task_id) ORDER BY step, slot, sample"
        )


def test_a_stage_mixes_rubric_tasks_with_verifiable_ones_and_pays_what_the_judge_says(home: Path):
    with serving(says) as server:
        file = a_stage(home, server, n_steps=2, prompts_per_step=6)
        assert trained(file) == 0
        asked = [payload["messages"][-1]["content"] for payload in server.requests]
    rows = rollouts(file)
    judged = [row for row in rows if row["domain"] == Domain.RUBRIC]
    assert 0 < len(judged) < len(rows) == 2 * 6 * 4
    for row in judged:
        cut = row["judgement"] == Judgement.TRUNCATED
        assert row["reward"] == pytest.approx(0.0 if cut else worth(row["completion"]))
        assert cut or row["judgement"] == (Judgement.PASS if row["reward"] >= 0.75 else Judgement.WRONG)
    assert all(row["reward"] in (0.0, 1.0) for row in rows if row["domain"] != Domain.RUBRIC)
    assert len(asked) == len(set(asked)) > 10


def test_a_judge_that_praises_everything_teaches_nothing_and_ends_the_stage(home: Path, capsys, caplog):
    with serving(praises) as server:
        file = a_stage(home, server, n_steps=8, arms=("rubric/0/gradatim",))
        assert trained(file) == run.EXIT_FAILED
    assert "no rollout could be judged in 5 steps in a row" in capsys.readouterr().err
    assert run.NOT_JUDGED not in caplog.text
    assert {(row["reward"], row["judgement"]) for row in rollouts(file)} == {(None, Judgement.UNDECIDED)}


def test_a_judge_of_the_policys_own_lineage_is_refused(home: Path, capsys):
    with serving(says) as server:
        own = policies.load("checkpoints/warm", home).lineage
        assert trained(a_stage(home, server, lineage=own, arms=("rubric/0/gradatim",))) == 2
    assert "of the policy's lineage" in capsys.readouterr().err
    assert server.requests == []


@pytest.mark.slow
def test_the_policy_learns_what_the_rubric_asks_for(home: Path):
    with serving(says) as server:
        file = a_stage(home, server, n_steps=40, prompts_per_step=8, group_size=8, checkpoint_every=40,
                       learning_rate=3e-4, arms=("rubric/0/gradatim",))  # fmt: skip
        with Store.open(home) as store:
            assert run_stage(file, store).n_steps == 40
    rows = rollouts(file)
    first, last = ([worth(row["completion"]) for row in rows if at <= row["step"] < at + 5] for at in (0, 35))
    assert sum(last) / len(last) > sum(first) / len(first) + 0.15
