"""The laboratory of planted collapses, shortened: stages of a few steps with one fault, and a look after each."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from trainer_stages import stage_file

from curriculum import schedulers
from curriculum.actions import RULES
from curriculum.pool import pool_of
from synth.graders import judged
from trainer import policies
from trainer.config import GuardConfig, SamplingConfig, TrainerConfig
from trainer.training import Stage
from warehouse.records import Judgement

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


class Silent:
    """No verifier answers."""

    def judge(self, tasks, completions, *, truncated=None):
        return [judged(Judgement.INFRA if i % 2 else Judgement.WRONG) for i, _ in enumerate(completions)]


def told(tmp_path, warm_folder, tasks, judge, canary=(), **values):
    """Alarms that became critical and what was done, in order, and the stage's end."""
    file = stage_file(tmp_path, warm_folder, n_steps=6, checkpoint_every=6, **values)
    guard = GuardConfig(every=1, canary_tasks=len(canary), canary_samples=4)
    trainer = file.trainer.model_copy(update={"guard": guard})
    file = file.model_copy(update={"trainer": TrainerConfig.model_validate(trainer.model_dump())})
    stage = Stage(
        file, policy=policies.load(file.policy), tasks=tasks, judge=judge, canary=canary,
        scheduler=schedulers.get("uniform")(pool_of(tasks), {}, 0),
    )  # fmt: skip
    trained = stage.train()
    rows = [row for path in sorted(file.spool.glob("*-alarms.json")) for row in json.loads(path.read_text())]
    alarms = [row["detector"] for table, row in rows if table == "alarms" and row["level"] == "critical"]
    return alarms, [row["action"] for table, row in rows if table == "actions"], trained


@pytest.mark.parametrize(
    ("detector", "levels", "silent", "sampling", "ends"),
    [
        ("infrastructure", (2, 3), True, {}, False),
        ("zero_variance", (8, 9), False, {}, False),
        ("duplicates", (4, 5), False, {"temperature": 0.01}, True),
        ("length", (2, 3), False, {"max_tokens": 2}, True),
    ],
)
def test_a_planted_fault_is_named_and_answered_by_the_table(
    tmp_path, warm_folder, train_tasks, judge, detector, levels, silent, sampling, ends
):
    own = [task for task in train_tasks if task.level in levels]
    alarms, actions, trained = told(
        tmp_path, warm_folder, own, Silent() if silent else judge, sampling=SamplingConfig(**sampling)
    )
    assert detector in alarms
    assert RULES[detector][0].name in actions
    assert (trained.reason is not None) == ends


def test_a_healthy_stage_raises_nothing_critical(tmp_path, warm_folder, train_tasks, judge):
    own = [task for task in train_tasks if task.level <= 4]
    assert told(tmp_path, warm_folder, own, judge, canary=own[::4], learning_rate=1e-5)[0] == []


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["rate x 3", "NaN gradients", "reward hacking", "stale sampler"])
def test_the_laboratory_finds_its_fault(tmp_path, monkeypatch, judge, fault):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import collapse_lab

    found = collapse_lab.run(tmp_path, fault, collapse_lab.FAULTS[fault], 0, judge)
    assert found["found"], found
    assert found["first_action_as_in_the_table"], found
    del sys.modules["collapse_lab"]
