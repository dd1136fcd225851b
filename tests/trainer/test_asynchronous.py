"""Sampling beside training: groups of bounded age, corrected by the log-probabilities they were sampled with."""

from __future__ import annotations

import json
import math
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from trainer_stages import STACK, build, stage_file

from curriculum import schedulers
from curriculum.pool import pool_of
from synth.graders import Judge, Judged, read_config
from trainer import policies
from trainer.config import SamplingConfig
from trainer.errors import KnobRefused, RewardFailed
from trainer.importance import sample_shares
from trainer.sampler import load_weights, save_weights
from trainer.stagefile import StageFile
from trainer.training import Stage
from warehouse.records import Judgement


class Exploding:
    """A judge that raises."""

    def judge(self, tasks, completions, *, truncated=None) -> list[Judged]:
        raise ZeroDivisionError("planted")


@contextmanager
def exploding():
    yield Exploding()


def rollouts(file: StageFile) -> list[dict]:
    found = [json.loads(path.read_text()) for path in sorted(file.spool.glob("step-*-rollouts.json"))]
    return [row for rows in found for table, row in rows if table == "rollouts"]


def asynchronous(home: Path, policy: Path, *, staleness: int, ahead: int = 0, **values) -> StageFile:
    sampling = SamplingConfig(staleness=staleness, queue_batches=ahead)
    return stage_file(home, policy, sampling=sampling, warmup_steps=0, **values)


def test_rollouts_of_bounded_age_train_with_the_ratio_of_their_own_weights(tmp_path, warm_folder, train_tasks, judge):
    """Asked for three batches ahead under a bound of one step: what is older is dropped and asked for again."""
    log: list[dict] = []
    file = asynchronous(tmp_path, warm_folder, staleness=1, ahead=3, n_steps=6, checkpoint_every=6, learning_rate=1e-3,
                        prompts_per_step=8)  # fmt: skip
    graders = {"graders": read_config(STACK)}
    file = file.model_copy(update={"trainer": file.trainer.model_copy(update=graders)})
    easy = [task for task in train_tasks if task.level <= 3]
    stage = build(file, easy, judge, progress=lambda _, logs: log.append(dict(logs)))
    made = stage.train()
    rows = rollouts(file)
    ages = [row["step"] - row["parts"]["sampling/policy_step"] for row in rows]
    assert len(rows) == 6 * 32
    assert set(ages) == {0, 1}
    dropped = sum(step["sampling/dropped_groups"] for step in log)
    assert dropped == stage.rollouts.n_dropped > 0
    assert made.n_rollouts == 6 * 32 + 4 * dropped
    by_age = {age: [s for s in log if s["sampling/age/max"] == age and s["sampling/age/mean"] == age] for age in (0, 1)}
    assert all(step["sampling/effective_sample_share"] > 0.9999 for step in by_age[0])
    assert min(step["sampling/effective_sample_share"] for step in by_age[1]) < 0.9999
    for start in range(0, len(rows), 4):
        group = rows[start : start + 4]
        mixed = len({row["judgement"] == Judgement.PASS for row in group}) == 2
        for row in group:
            cost = 0.2 * min(1.0, row["n_tokens"] / 8) * mixed
            assert row["reward"] == pytest.approx((row["judgement"] == Judgement.PASS) - cost)
            assert row["latency_s"] > 0
    draws = {(d["step"], d["slot"]): d["task_id"] for path in file.spool.glob("step-*-rollouts.json")
             for table, d in json.loads(path.read_text()) if table == "draws"}  # fmt: skip
    assert all(draws[row["step"], row["slot"]] == row["task_id"] for row in rows)
    assert not (file.spool / "weights").exists()


@pytest.mark.slow
def test_what_ends_the_sampling_process_is_named(tmp_path, warm_folder, train_tasks, judge):
    file = asynchronous(tmp_path, warm_folder, staleness=1)
    scheduler = schedulers.get("uniform")(pool_of(train_tasks), {}, 0)
    stage = Stage(file, policy=policies.load(str(warm_folder)), tasks=train_tasks, scheduler=scheduler, judge=judge,
                  make_judge=exploding)  # fmt: skip
    with pytest.raises(RewardFailed, match="ZeroDivisionError: planted"):
        stage.train()


@pytest.mark.slow
def test_an_asynchronous_stage_resumes(tmp_path, warm_folder, train_tasks, judge):
    class Killed(Exception):
        pass

    def die(step, _):
        if step == 3:
            raise Killed

    file = asynchronous(tmp_path, warm_folder, staleness=2)
    with pytest.raises(Killed):
        build(file, train_tasks, judge, progress=die).train()
    again = file.model_copy(update={"attempt": 1})
    made = build(again, train_tasks, judge).train()
    assert made.checkpoint.step == 4
    assert {row["step"] for row in rollouts(again)} == {2, 3}
    assert min(row["parts"]["sampling/policy_step"] for row in rollouts(again)) == 2


def test_a_stale_batch_changes_the_loss_only_by_its_ratio(tmp_path, warm_folder, train_tasks, judge):
    """The batch is sampled, then the weights move: with the sampler's log-probabilities the ratio is what they say."""
    stage = build(stage_file(tmp_path, warm_folder, prompts_per_step=8), train_tasks, judge)
    trainer = stage.trainer
    trainer.model.train()
    trainer.current_gradient_accumulation_steps = 1
    inputs = [{"prompt": train_tasks[p].prompt, "position": p} for p in range(0, 400, 50) for _ in range(4)]
    batch = trainer._generate_and_score_completions(inputs)
    with torch.no_grad():
        for value in trainer.model.parameters():
            value.add_(0.02 * torch.randn(value.shape, generator=torch.Generator().manual_seed(1)))
    uncorrected = trainer._compute_loss(trainer.model, batch).item()
    fresh = trainer._newest_logps
    batch["old_per_token_logps"] = batch["sampling_per_token_logps"]
    corrected = trainer._compute_loss(trainer.model, batch).item()
    mask, advantages = batch["completion_mask"], batch["advantages"][:, None]
    ratio = (fresh - batch["sampling_per_token_logps"]).exp()
    clipped = ratio.clamp(1 - trainer.epsilon_low, 1 + trainer.epsilon_high)
    wanted = -(torch.min(ratio * advantages, clipped * advantages) * mask).sum() / batch["num_items_in_batch"]
    assert corrected == pytest.approx(wanted.item(), rel=1e-4)
    assert abs(corrected - uncorrected) > 1e-3
    share, masked = sample_shares(fresh - batch["sampling_per_token_logps"], mask)
    assert 0 < share < 0.999
    assert masked == 0


def test_shares_of_importance_weights():
    mask = torch.tensor([[1, 1], [1, 0], [0, 0]])
    logs = torch.tensor([[math.log(2), math.log(1.5)], [0.0, 9.0], [5.0, 5.0]])
    assert sample_shares(logs, mask) == pytest.approx(((3 + 1) ** 2 / (2 * (9 + 1)), 0.0))
    zeroed = torch.tensor([[-math.inf], [0.0], [0.0]])
    assert sample_shares(zeroed, mask) == pytest.approx((0.5, 0.5))
    assert all(math.isnan(value) for value in sample_shares(logs[2:], mask[2:]))


def test_weights_arrive_whole(tmp_path: Path):
    one, other = (policies.fresh_pocket(seed).model for seed in (0, 1))
    load_weights(other, save_weights(one, 7, tmp_path))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert [path.name for path in tmp_path.iterdir()] == ["weights-00000007.safetensors"]


def test_staleness_needs_the_lean_engine(tmp_path, warm_folder, train_tasks):
    sampling = SamplingConfig(engine="transformers", staleness=2)
    with Judge(workers=1) as judge, pytest.raises(KnobRefused, match="staleness 2 needs engine lean"):
        build(stage_file(tmp_path, warm_folder, sampling=sampling), train_tasks, judge)
