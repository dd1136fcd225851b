"""A stage of a real, if small, language model: two steps of SmolLM2-135M through the same path."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path

import pytest
import torch
from trainer_stages import build, losses, stage_file
from trainer_tasks import tasks_of

from trainer import policies
from trainer.config import SamplingConfig
from warehouse.records import Split


@pytest.mark.smollm
@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("gguf") is None, reason="needs the extra smollm")
def test_two_steps_of_a_language_model(tmp_path: Path, judge):
    tasks = [task for task in tasks_of(Split.TRAIN, 4, families=["add"]) if task.level <= 2]
    file = stage_file(
        tmp_path, Path("smollm"), sampling=SamplingConfig(max_tokens=12), n_steps=2, checkpoint_every=2,
        prompts_per_step=2, group_size=4, learning_rate=1e-5, warmup_steps=0, entropy_coef=0.01,
    )  # fmt: skip
    log: list[dict] = []
    made = build(file, tasks, judge, progress=lambda _, logs: log.append(dict(logs))).train().checkpoint
    assert len(losses(log)) == 2
    assert all(math.isfinite(row["loss"]) and 0 < row["entropy"] < 10 for row in log)
    found = [json.loads(path.read_text()) for path in sorted(file.spool.glob("step-*-rollouts.json"))]
    rows = [row for rows in found for table, row in rows if table == "rollouts"]
    assert len(rows) == 2 * 8
    assert all(0 < row["n_tokens"] <= 12 and row["mean_entropy"] >= 0 and row["latency_s"] > 0 for row in rows)
    after, before = policies.load(str(made.folder)), policies.load("smollm", tmp_path)
    assert after.chat
    assert after.policy_id == made.policy_id != before.policy_id
    moved = [not torch.equal(a, b) for a, b in zip(after.model.parameters(), before.model.parameters(), strict=True)]
    assert all(moved[:1]) and sum(moved) > len(moved) // 2  # noqa: PT018
