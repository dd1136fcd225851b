"""What TRL 1.16 does that a curriculum must get right, each shown on a real stage."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from datasets import Dataset
from safetensors.torch import load_file
from trainer_stages import assert_in_no_term_of_the_loss, build, losses, stage_file
from transformers import PrinterCallback
from trl import GRPOTrainer

from synth.graders import Judged, judged
from trainer import policies
from trainer.config import SamplingConfig
from trainer.errors import Diverged
from trainer.grpo import StepSeed
from trainer.trl_config import grpo_config
from warehouse.records import Judgement


class Moody:
    """A judge that cannot decide completions whose place is odd, and says right or wrong by length otherwise."""

    def judge(self, tasks, completions, *, truncated=None) -> list[Judged]:
        return [
            judged(Judgement.UNDECIDED) if len(text) % 3 == 1 else judged(
                Judgement.PASS if len(text) % 3 else Judgement.WRONG
            )
            for text in completions
        ]  # fmt: skip


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def test_loss_is_plain_trls_on_the_same_prompts_and_seed(tmp_path, warm_folder, train_tasks, judge):
    """Uniform draws, TRL's own generation: every loss equals that of an unchanged GRPOTrainer."""
    sampling = SamplingConfig(engine="transformers")
    file = stage_file(tmp_path, warm_folder, sampling=sampling)
    ours: list[dict] = []
    stage = build(file, train_tasks, judge, progress=lambda _, logs: ours.append(dict(logs)))
    drawn: list[int] = []
    sampler = stage.sampler
    told = sampler.observe
    sampler.observe = lambda outcomes, step: (drawn.extend(o[0] for o in outcomes), told(outcomes, step))[1]
    stage.train()

    policy = policies.load(str(warm_folder))
    args = grpo_config(file.trainer.stage, sampling, output_dir=tmp_path / "plain", seed=file.seed, last_step=4)
    args.save_strategy = "no"
    prompts = [train_tasks[position].prompt for position in drawn]

    def reward(completions, prompts, **_):
        by_prompt = {task.prompt: task for task in train_tasks}
        return [word.reward for word in judge.judge([by_prompt[p] for p in prompts], completions)]

    plain = GRPOTrainer(
        model=policy.model, reward_funcs=reward, args=args, train_dataset=Dataset.from_dict({"prompt": prompts}),
        processing_class=policy.tokenizer, callbacks=[StepSeed(file.seed)],
    )  # fmt: skip
    plain.remove_callback(PrinterCallback)
    plain.train()
    theirs = [row["loss"] for row in plain.state.log_history if "loss" in row]
    assert losses(ours) == theirs
    assert len(theirs) == 4
    assert any(loss != 0 for loss in theirs)


def test_three_stages_end_in_the_weights_of_one(tmp_path, warm_folder, train_tasks, judge):
    """3 x 2 steps = 1 x 6: optimizer, schedule, randomness and the draws ahead all cross the edges."""
    whole = build(stage_file(tmp_path / "one", warm_folder, n_steps=6, checkpoint_every=6), train_tasks, judge).train()
    start: str | None = None
    for index in range(3):
        file = stage_file(
            tmp_path / "three", warm_folder if start is None else tmp_path / "three" / start, n_steps=2,
            checkpoint_every=2, first_step=2 * index, stage_id=f"s{index}", continue_from=start,
        )  # fmt: skip
        part = build(file, train_tasks, judge).train()
        start = str(part.checkpoint.folder.relative_to(tmp_path / "three"))
    assert part.checkpoint.step == whole.checkpoint.step == 6
    assert same(weights(part.checkpoint.folder), weights(whole.checkpoint.folder))


def test_without_the_optimizer_three_stages_end_elsewhere(tmp_path, warm_folder, train_tasks, judge):
    """The comparison above can fail: stages that start a fresh optimizer do not end in the same weights."""
    whole = build(stage_file(tmp_path / "one", warm_folder, n_steps=4, checkpoint_every=4), train_tasks, judge).train()
    first = build(stage_file(tmp_path / "two", warm_folder, n_steps=2), train_tasks, judge).train()
    second = stage_file(tmp_path / "two", first.checkpoint.folder, n_steps=2, stage_id="t")
    part = build(second, train_tasks, judge).train()
    assert not same(weights(part.checkpoint.folder), weights(whole.checkpoint.folder))


def test_a_stage_resumes_from_its_last_checkpoint_with_the_same_order(tmp_path, warm_folder, train_tasks, judge):
    class Killed(Exception):
        pass

    def die_at_three(step, _):
        if step == 3:
            raise Killed

    file = stage_file(tmp_path / "a", warm_folder)
    with pytest.raises(Killed):
        build(file, train_tasks, judge, progress=die_at_three).train()
    resumed = build(file.model_copy(update={"attempt": 1}), train_tasks, judge)
    assert resumed.resumed is not None
    assert resumed.resumed.step == 2
    after = resumed.train()
    unbroken = build(stage_file(tmp_path / "b", warm_folder), train_tasks, judge).train()
    assert same(weights(after.checkpoint.folder), weights(unbroken.checkpoint.folder))


def test_a_new_learning_rate_reaches_a_resumed_optimizer(tmp_path, warm_folder, train_tasks, judge):
    first = build(stage_file(tmp_path, warm_folder, warmup_steps=0), train_tasks, judge).train()
    log: list[dict] = []
    file = stage_file(
        tmp_path, first.checkpoint.folder, n_steps=2, first_step=4, stage_id="t", learning_rate=1e-5, warmup_steps=0,
        continue_from=str(first.checkpoint.folder.relative_to(tmp_path)),
    )  # fmt: skip
    build(file, train_tasks, judge, progress=lambda _, logs: log.append(dict(logs))).train()
    assert [row["learning_rate"] for row in log] == [1e-5, 1e-5]


def test_the_rate_is_constant_over_the_campaign(tmp_path, warm_folder, train_tasks, judge):
    log: list[dict] = []
    file = stage_file(tmp_path, warm_folder, warmup_steps=2, learning_rate=1e-4)
    build(file, train_tasks, judge, progress=lambda _, logs: log.append(dict(logs))).train()
    assert [round(row["learning_rate"] / 1e-4, 3) for row in log] == [0.0, 0.5, 1.0, 1.0]


def test_undecided_rollouts_are_in_no_term_of_the_loss(tmp_path, warm_folder, train_tasks):
    """With entropy bonus and KL on, other tokens in the undecided rows leave the loss as it is; in decided rows not."""
    file = stage_file(tmp_path, warm_folder, entropy_coef=0.05, beta=0.1, prompts_per_step=4, group_size=8)
    stage = build(file, train_tasks, Moody())
    trainer = stage.trainer
    trainer.model.train()
    trainer.current_gradient_accumulation_steps = 1
    inputs = [{"prompt": train_tasks[p].prompt, "position": p} for p in (0, 90, 180, 400) for _ in range(8)]
    batch = trainer._generate_and_score_completions(inputs)
    undecided = torch.tensor([word.reward is None for word in stage.trainer._reward.last])
    assert 0 < int(undecided.sum()) < len(inputs)
    assert int(batch["completion_mask"][undecided].sum()) == 0
    assert int(batch["num_items_in_batch"]) == int(batch["completion_mask"].sum())
    assert_in_no_term_of_the_loss(trainer, batch, undecided)


def test_pass_k_acts_on_advantages(tmp_path, warm_folder, train_tasks, judge):
    """The same rollouts and rewards train other weights under pass@2: it is not scaled away."""
    ends = []
    for k in (1, 2):
        file = stage_file(tmp_path / str(k), warm_folder, pass_k=k, n_steps=2, prompts_per_step=8)
        ends.append(weights(build(file, train_tasks, judge).train().checkpoint.folder))
    assert not same(*ends)


def test_a_loss_that_is_not_finite_ends_the_stage_by_name(tmp_path, warm_folder, train_tasks, judge):
    stage = build(stage_file(tmp_path, warm_folder), train_tasks, judge)
    with torch.no_grad():
        stage.trainer.model.lm_head.weight[3] = math.nan
    stage.trainer._roll_out = None
    batch = {
        "prompt_ids": torch.tensor([[4, 5]]), "prompt_mask": torch.ones(1, 2, dtype=torch.long),
        "completion_ids": torch.tensor([[6, 1]]), "completion_mask": torch.ones(1, 2, dtype=torch.long),
        "advantages": torch.ones(1), "num_items_in_batch": torch.tensor(2), "rollout_index": torch.tensor([0]),
    }  # fmt: skip
    stage.trainer.current_gradient_accumulation_steps = 1
    with pytest.raises(Diverged, match="loss is nan"):
        stage.trainer._compute_loss(stage.trainer.model, batch)
