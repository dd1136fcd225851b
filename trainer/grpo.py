"""TRL's `GRPOTrainer` with a curriculum's order, one judged reward, masked undecided rollouts, and rows of it all."""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from accelerate.utils import gather_object
from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from trainer import columns
from trainer.advantages import pass_k_advantages
from trainer.asynchronous import RolloutQueue
from trainer.episodes import Player
from trainer.errors import Diverged
from trainer.factory import AnyTool, Factory, check_template
from trainer.importance import sample_shares
from trainer.policies import LoadedPolicy
from trainer.recording import POLICY_STEP, StepRecord, outcomes, sample_row
from trainer.rewards import TaskReward
from trainer.rollout import Tokens, decode
from trainer.sampling import CurriculumSampler
from trainer.seeding import step_seed
from trainer.sources import Sources
from warehouse.records import Task

Recorder = Callable[[StepRecord], None]
"""Called once a step with the samples of all processes, on each of them, before the optimizer moves."""


class StepSeed(TrainerCallback):  # type: ignore[misc]
    """Seeds torch from (seed, step, process) before every step, so that a resumed step draws what it would have."""

    def __init__(self, seed: int, process: int = 0) -> None:
        self._seed, self._process = seed, process

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        torch.manual_seed(step_seed(self._seed, state.global_step, self._process))


class CurriculumTrainer(GRPOTrainer):  # type: ignore[misc]
    """GRPO as TRL runs it, on prompts that a curriculum draws.

    `lean` samples through `trainer.rollout` by TRL's `rollout_func`; otherwise TRL generates. Of `sources`, with a
    `queue` a sampling process has sampled and graded, with `served` a server samples, and their log-probabilities are
    the ratio's denominator. With `player` a rollout is an episode, whose observations no gradient flows to; with
    `factory` TRL itself plays it, by its `environment_factory`, and generates as it does for single turns.
    Undecided rollouts (reward `None`) leave every term of the loss. `pass_k` > 1 replaces the advantages. Optimizer
    steps count from the campaign's start.
    """

    def __init__(
        self,
        *,
        policy: LoadedPolicy,
        tasks: Sequence[Task],
        sampler: CurriculumSampler,
        reward: TaskReward,
        recorder: Recorder,
        args: GRPOConfig,
        lean: bool = True,
        sources: Sources | None = None,
        pass_k: int = 1,
        callbacks: Sequence[TrainerCallback] = (),
    ) -> None:
        self._policy, self._tasks, self._curriculum = policy, tasks, sampler
        self._reward, self._recorder = reward, recorder
        self._lean, self._pass_k, self._sources = lean, pass_k, sources or Sources()
        self._factory = factory = self._sources.factory
        self._sampled_apart = self._sources.queue is not None or self._sources.served is not None
        self._positions: list[int] = []
        self._wrote: list[int] = []
        self._newest_logps: torch.Tensor | None = None
        self._pending: StepRecord | None = None
        self._gathered_rewards: torch.Tensor | None = None
        self._newest_entropies: torch.Tensor | None = None
        self._latency_s = 0.0
        rows: Any = {"prompt": [policy.render(task.prompt) for task in tasks], "position": list(range(len(tasks)))}
        if factory is not None:
            check_template(policy.tokenizer)
            rows = {name: [row[name] for row in factory.rows] for name in ("prompt", "position", "environment")}
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*(rollout_func|environment_factory).*")
            super().__init__(
                model=policy.model,
                reward_funcs=reward,
                args=args,
                train_dataset=Dataset.from_dict(rows),
                processing_class=policy.tokenizer,
                rollout_func=self._roll_out if lean else None,
                environment_factory=None if factory is None else factory.environments,
                callbacks=[StepSeed(args.seed, args.process_index), *callbacks],
            )

        if factory is not None:
            self._env_tools = factory.schemas
        self.remove_callback(PrinterCallback)

    def _get_train_sampler(self, dataset: Any = None) -> CurriculumSampler:
        return self._curriculum

    def _roll_out(self, prompts: list[str], trainer: GRPOTrainer) -> columns.Columns:
        if self._sources.queue is not None:
            return self._take(self._sources.queue, prompts)
        if self._sources.player is not None:
            return self._play(self._sources.player)
        encoded = self._policy.tokenise(prompts)
        return columns.of_tokens(encoded, self._decoded(*columns.whole_groups(encoded)))

    def _decoded(self, prompts: list[list[int]], n: int) -> list[Tokens]:
        """`n` sequences for each prompt, by the policy here or by the server, which gets its weights first."""
        model = self.accelerator.unwrap_model(self.model)
        how: dict[str, Any] = {"temperature": self.temperature, "max_tokens": self.max_completion_length}
        how |= {"n": n, "end_ids": self.eos_token_ids}
        served = self._sources.served
        if served is None:
            return decode(model, prompts, pad_id=self._tokenizer.pad_token_id, **how)
        served.publish(model)
        return served.decode(prompts, seed=step_seed(self.args.seed, self.state.global_step), **how)

    def _play(self, player: Player) -> columns.Columns:
        """An episode for each row: TRL hands over prompts alone, so the tasks are those of the rows' positions."""
        tasks = [self._tasks[place] for place in self._positions]
        played = player.play(tasks, model=self.accelerator.unwrap_model(self.model))
        ends = [one.trajectory for one in played]
        words = self._reward.graded_turns(
            [one.word for one in ends],
            self._positions,
            [one.submission or "" for one in ends],
            [one.turns for one in ends],
            n_tokens=[one.n_tokens for one in ends],
            latency_s=[one.latency_s for one in ends],
        )
        return columns.of_episodes(played, words)

    def _take(self, rollouts: RolloutQueue, prompts: list[str]) -> columns.Columns:
        """The groups that were sampled for this step, in the order of `prompts`."""
        step, before = int(self.state.global_step), rollouts.n_dropped
        groups = rollouts.take(step // self.num_iterations, step)
        ages = [float(step - group.policy_step) for group in groups]
        self._metrics["train"]["sampling/age/mean"].append(sum(ages) / len(ages))
        self._metrics["train"]["sampling/age/max"].append(max(ages))
        self._metrics["train"]["sampling/dropped_groups"].append(float(rollouts.n_dropped - before))
        return columns.of_groups(self._policy.tokenise(prompts), groups)

    def _generate(self, prompts: Any) -> Any:
        if self._factory is not None:
            self._sync_tool_dicts = [AnyTool(one) for one in self.environments]
        began = time.perf_counter()
        generated = super()._generate(prompts)
        self._latency_s = time.perf_counter() - began
        if self._factory is not None:
            self._wrote = [sum(mask) for mask in generated[2]]
        return generated

    def _judge_environments(self, factory: Factory, inputs: Sequence[dict[str, Any]]) -> None:
        """Adds to the rows what TRL's environments have seen and the word on it."""
        ends = factory.ended(self.environments)
        handed_in, times = [one.submission or "" for one in ends], [one.latency_s for one in ends]
        words = self._reward.graded_turns(
            [one.word for one in ends], self._positions, handed_in, [one.turns for one in ends],
            n_tokens=self._wrote, latency_s=times,
        )  # fmt: skip
        for row, one, word, wrote in zip(inputs, ends, words, self._wrote, strict=True):
            row |= {"word": word, "turns": one.turns, "handed_in": one.submission or "", "n_tokens": wrote}
            row |= {"cause": one.cause, "finished": one.submission is not None, "latency_s": one.latency_s}

    def _calculate_rewards(self, inputs: Any, prompts: Any, completions: Any, completion_ids_list: Any) -> torch.Tensor:
        for row in inputs:
            row.setdefault("latency_s", self._latency_s)
        if self._factory is not None:
            self._judge_environments(self._factory, inputs)
        elif not self._lean:
            ends = {*self.eos_token_ids, self._tokenizer.pad_token_id}
            for row, ids in zip(inputs, completion_ids_list, strict=True):
                row["finished"] = ids[-1] in ends
        rewards: torch.Tensor = super()._calculate_rewards(inputs, prompts, completions, completion_ids_list)
        own = [
            sample_row(
                row["position"],
                row.get("handed_in", text),
                row.get("n_tokens", len(ids)),
                word,
                finished=bool(row["finished"]),
                entropy=row.get("mean_entropy"),
                latency=row["latency_s"],
                policy_step=row.get("policy_step"),
                turns=row.get("turns", ()),
                cause=row.get("cause"),
            )
            for row, text, ids, word in zip(inputs, completions, completion_ids_list, self._reward.last, strict=True)
        ]
        self._own_offset = self.accelerator.process_index * len(own)
        step = self.state.global_step // self.num_iterations
        self._pending = StepRecord(step, gather_object(own))
        if self._reward.graded:
            settled = self._reward.settle(self._pending.samples, self.num_generations)
            values = [np.nan if value is None else value for value in settled]
            rewards = torch.tensor(values, dtype=rewards.dtype, device=rewards.device)[:, None]
            self._log_parts(self._pending)
        self._gathered_rewards = rewards
        self._curriculum.observe(outcomes(self._pending.samples, self.num_generations), step)
        return rewards

    def _log_parts(self, record: StepRecord) -> None:
        """Log the mean of every part of S over the samples that have it."""
        found: dict[str, list[float]] = defaultdict(list)
        for sample in record.samples:
            for name, value in sample["parts"].items():
                if name != POLICY_STEP:
                    found[name].append(value)
        for name, values in found.items():
            self._metrics["train"][f"parts/{name}"].append(sum(values) / len(values))

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        self._positions = [row["position"] for row in inputs]
        output: dict[str, Any] = super()._generate_and_score_completions(inputs)
        if self._sampled_apart:
            output["old_per_token_logps"] = output["sampling_per_token_logps"]
        if "importance_sampling_ratio" in output:
            self._log_shares(output["importance_sampling_ratio"].log(), output["completion_mask"])
        n = len(inputs)
        undecided = torch.tensor([word.reward is None for word in self._reward.last])
        if self._pass_k > 1 and self._gathered_rewards is not None:
            groups = self._gathered_rewards[:, 0].double().cpu().numpy().reshape(-1, self.num_generations)
            advantages = torch.from_numpy(pass_k_advantages(groups, self._pass_k).reshape(-1)).float()
            output["advantages"] = advantages[self._own_offset : self._own_offset + n].to(output["advantages"].device)
        any_undecided = self.accelerator.gather(undecided.sum().to(output["completion_mask"].device)).sum()
        if any_undecided > 0:
            keep = (~undecided).to(output["completion_mask"])
            output["completion_mask"] = output["completion_mask"] * keep[:, None]
            counted = output["completion_mask"] * output.get("tool_mask", 1)
            output["num_items_in_batch"] = self.accelerator.gather(counted.sum()).sum()
            output["advantages"] = output["advantages"] * keep
        output["rollout_index"] = torch.arange(n, device=output["completion_ids"].device)
        return output

    def _log_shares(self, log_ratios: torch.Tensor, mask: torch.Tensor) -> None:
        effective, masked = sample_shares(log_ratios, mask)
        self._metrics["train"]["sampling/effective_sample_share"].append(effective)
        self._metrics["train"]["sampling/masked_share"].append(masked)

    def _get_per_token_logps_and_entropies(self, *args: Any, **kwargs: Any) -> Any:
        result = super()._get_per_token_logps_and_entropies(*args, **kwargs)
        self._newest_logps = result[0].detach()
        if result[1] is not None:
            self._newest_entropies = result[1].detach()
        return result

    def _compute_loss(self, model: Any, inputs: dict[str, Any]) -> torch.Tensor:
        loss: torch.Tensor = super()._compute_loss(model, inputs)
        if not bool(torch.isfinite(loss)):
            raise Diverged(f"the loss is {loss.item()} at step {self.state.global_step}")
        if self._sampled_apart and self._newest_logps is not None:
            self._log_shares(self._newest_logps - inputs["old_per_token_logps"], inputs["completion_mask"])
        entropies = self._newest_entropies if self.temperature == 1 else None
        if entropies is not None and self._pending is not None and self._pending.lacks_entropy:
            mask = inputs["completion_mask"] * inputs.get("tool_mask", 1)
            means = (entropies * mask).sum(1) / mask.sum(1).clamp(min=1)
            self._pending.fill_entropy((inputs["rollout_index"] + self._own_offset).tolist(), means.tolist())
        return loss

    def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any = None) -> torch.Tensor:
        loss: torch.Tensor = super().training_step(model, inputs, num_items_in_batch)
        complete = self._step % self.current_gradient_accumulation_steps == 0
        if complete and self._pending is not None:
            self._recorder(self._pending)
            self._pending = None
        return loss

    def _get_grad_norm(self, model: Any, grad_norm: Any = None) -> Any:
        norm = super()._get_grad_norm(model, grad_norm=grad_norm)
        value = norm.item() if hasattr(norm, "item") else norm
        if value is not None and not np.isfinite(value):
            raise Diverged(f"the gradient norm is {value} at step {self.state.global_step}")
        return norm

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        """As TRL, but a stage's own learning rate counts: a restored optimizer would bring the last stage's back."""
        super()._load_optimizer_and_scheduler(checkpoint)
        if checkpoint is not None and self.lr_scheduler is not None:
            self._set_rate(self.args.learning_rate)

    def set_knobs(self, values: Mapping[str, float]) -> None:
        """Move the settings that TRL and this trainer read at each step: learning rate, entropy bonus, pass@k."""
        if "pass_k" in values:
            self._pass_k = int(values["pass_k"])
        if "entropy_coef" in values:
            self.entropy_coef = values["entropy_coef"]
            self._entropy_bonus_enabled = self.entropy_coef > 0 or self.use_adaptive_entropy
        if "learning_rate" in values and self.lr_scheduler is not None:
            self._set_rate(values["learning_rate"])

    def _set_rate(self, rate: float) -> None:
        schedule = self.lr_scheduler
        factor = schedule.lr_lambdas[0](schedule.last_epoch) if hasattr(schedule, "lr_lambdas") else 1.0
        schedule.base_lrs = [rate for _ in schedule.base_lrs]
        for group in self.optimizer.param_groups:
            group["initial_lr"], group["lr"] = rate, rate * factor
        schedule._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def create_model_card(self, *args: Any, **kwargs: Any) -> None:
        """Write none: a stage's checkpoint is described by its rows."""
