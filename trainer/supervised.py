"""One light supervised stage: TRL's `SFTTrainer` on verified solutions, stopped before the policy narrows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback
from trl import SFTConfig, SFTTrainer

from trainer.checkpoints import Checkpoint, newest, seal
from trainer.config import SftConfig
from trainer.errors import Diverged, KnobRefused, StageFailed
from trainer.evaluate import choose
from trainer.lora import adapted, write_base
from trainer.policies import LoadedPolicy
from trainer.recording import Owner, metric_rows
from trainer.rewards import JudgeLike
from trainer.rollout import sample
from trainer.sft import token_rows
from trainer.spool import Spool
from trainer.stagefile import StageFile
from trainer.training import Progress, Trained
from trainer.trl_config import device
from warehouse.records import Domain, JsonValue, Judgement, Task

Solution = tuple[Task, str]
"""A task and a completion that solves it."""


def verified(solutions: Sequence[Solution], judge: JudgeLike) -> list[Solution]:
    """Those of `solutions` that the judge passes now, each once and in order."""
    distinct = list({(task.task_id, text): (task, text) for task, text in solutions}.values())
    words = judge.judge([task for task, _ in distinct], [text for _, text in distinct])
    return [found for found, word in zip(distinct, words, strict=True) if word.judgement is Judgement.PASS]


def drawn(solutions: Sequence[Solution], weights: Mapping[str, float], *, n: int, seed: int) -> list[Solution]:
    """`n` draws from `solutions`: arms by `weights` (alike when it is empty), solutions of an arm alike.

    Raises `StageFailed` when no solution belongs to an arm with weight.
    """
    arms = [task.arm for task, _ in solutions]
    share = np.array([weights.get(arm, 0.0) if weights else 1.0 for arm in arms]) / [
        max(1, arms.count(a)) for a in arms
    ]
    if not share.sum() > 0:
        raise StageFailed("no task that the plan draws from has a verified solution; see: gradatim plan")
    chosen = np.random.default_rng(seed).choice(len(arms), size=n, p=share / share.sum())
    return [solutions[place] for place in chosen]


class EntropyFloor(TrainerCallback):  # type: ignore[misc]
    """Looks every few steps at the entropy of what the policy samples: saves it above the floor, ends below.

    What is saved last was therefore seen above the floor. `n_rollouts` counts the completions sampled.
    """

    def __init__(self, config: SftConfig, entropy: Callable[[int], tuple[float, int]]) -> None:
        self._config, self._entropy = config, entropy
        self.n_rollouts = 0
        self.reason: str | None = None
        self.seen: dict[int, float] = {}

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if not self.seen and self._look(state.global_step) < self._config.entropy_floor:
            value = self.seen[state.global_step]
            raise StageFailed(f"entropy is {value:.3f} before the first step, under {self._config.entropy_floor:g}; "
                              "see: [sft] entropy_floor")  # fmt: skip

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        last = state.global_step >= state.max_steps
        if state.global_step % self._config.entropy_every and not last:
            return
        value = self._look(state.global_step)
        if value >= self._config.entropy_floor:
            control.should_save = True
            return
        self.reason = f"entropy {value:.3f} fell below {self._config.entropy_floor:g} at step {state.global_step}"
        control.should_training_stop, control.should_save = True, False

    def _look(self, step: int) -> float:
        value, n = self._entropy(step)
        self.n_rollouts += n
        self.seen[step] = value
        return value


class _Diary(TrainerCallback):  # type: ignore[misc]
    """Spools metrics, reports progress, seals checkpoints and names what is not finite."""

    def __init__(self, file: StageFile, policy: LoadedPolicy, floor: EntropyFloor, progress: Progress | None) -> None:
        self._file, self._policy, self._floor, self._progress = file, policy, floor, progress
        self._owner = Owner(file.stage_id, file.attempt, policy.policy_id)
        self._spool = Spool(file.spool, stage_id=file.stage_id, attempt=file.attempt)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        if not logs or "loss" not in logs:
            return
        for name in ("loss", "grad_norm"):
            if not math.isfinite(float(logs.get(name, 0.0))):
                raise Diverged(f"the {name} is {logs[name]} at step {state.global_step}")
        told: dict[str, JsonValue] = dict(logs)
        if state.global_step in self._floor.seen:
            told["sampled_entropy"] = self._floor.seen[state.global_step]
        self._spool.write(state.global_step - 1, "metrics", metric_rows(self._owner, state.global_step - 1, told))
        if self._progress is not None:
            self._progress(state.global_step, told)

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        folder = Path(self._file.folder) / f"checkpoint-{state.global_step}"
        write_base(self._policy, folder)
        seal(folder, step=state.global_step, state={"stage_id": self._file.stage_id, "kind": "sft"})


def supervise(
    file: StageFile,
    *,
    policy: LoadedPolicy,
    tasks: Sequence[Task],
    solutions: Sequence[Solution],
    judge: JudgeLike,
    progress: Progress | None = None,
) -> Trained:
    """Train `policy` on solutions that the judge passes; the result is the last checkpoint above the entropy floor.

    Raises `StageFailed` when there is no verified solution, or when the policy fell below the floor at the first look,
    and `KnobRefused` for agent tasks.
    """
    if any(task.domain is Domain.AGENT for task in tasks):
        raise KnobRefused("a supervised stage imitates single turns, and some of its tasks are played; see: arms")
    config = file.trainer.sft
    torch.set_num_threads(file.trainer.stage.threads)
    if file.trainer.policy.lora is not None:
        policy = adapted(policy, file.trainer.policy.lora, path=file.policy, seed=file.seed)
    weights = {str(arm): float(str(share)) for arm, share in _weights(file).items()}
    pairs = drawn(verified(solutions, judge), weights, n=config.n_steps * config.batch_size, seed=file.seed)
    rows = token_rows(policy, [(task.prompt, text) for task, text in pairs])
    looked_at = choose(tasks, config.entropy_tasks)

    def entropy(step: int) -> tuple[float, int]:
        groups = sample(
            policy,
            [task.prompt for task in looked_at],
            n=config.entropy_samples,
            temperature=1.0,
            max_tokens=file.trainer.sampling.max_tokens,
            seed=file.seed,
        )
        found = [completion.mean_entropy for group in groups for completion in group]
        return sum(found) / len(found), len(found)

    floor = EntropyFloor(config, entropy)
    trainer = SFTTrainer(
        model=policy.model,
        args=_settings(file, config),
        train_dataset=Dataset.from_list(
            [{"input_ids": p + a, "labels": [-100] * len(p) + a} for p, a in rows]
        ),
        processing_class=policy.tokenizer,
        callbacks=[floor, _Diary(file, policy, floor, progress)],
    )  # fmt: skip
    trainer.remove_callback(PrinterCallback)
    trainer.create_model_card = lambda *_, **__: None
    trainer._get_train_sampler = lambda *_: torch.utils.data.SequentialSampler(trainer.train_dataset)
    resumed = newest(file.folder)
    if resumed is None or resumed.step < config.n_steps:
        trainer.train(resume_from_checkpoint=str(resumed.folder) if resumed else None)
    final = _final(file, floor)
    return Trained(final, max(final.step, trainer.state.global_step), floor.n_rollouts, floor.reason)


def _final(file: StageFile, floor: EntropyFloor) -> Checkpoint:
    final = newest(file.folder)
    if final is None:
        raise StageFailed(f"{floor.reason or 'no checkpoint was made'} and none before was above it; "
                          "see: [sft] entropy_every")  # fmt: skip
    return final


def _weights(file: StageFile) -> Mapping[str, JsonValue]:
    found = file.scheduler_config.get("weights")
    return found if isinstance(found, dict) else {}


def _settings(file: StageFile, config: SftConfig) -> SFTConfig:
    return SFTConfig(
        output_dir=str(file.folder),
        seed=file.seed,
        max_steps=config.n_steps,
        per_device_train_batch_size=config.batch_size,
        learning_rate=config.learning_rate,
        warmup_steps=config.warmup_steps,
        lr_scheduler_type="constant_with_warmup",
        max_length=None,
        packing=False,
        **device(),
        gradient_checkpointing=False,
        save_strategy="no",
        save_total_limit=2,
        logging_steps=1,
        logging_nan_inf_filter=False,
        report_to="none",
        disable_tqdm=True,
    )
