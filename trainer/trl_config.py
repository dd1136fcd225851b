"""From our settings to TRL's `GRPOConfig`: what passes through, what is ours, what would have no effect."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from trl import GRPOConfig

from synth.graders.config import StackConfig
from trainer.config import SamplingConfig, StageConfig
from trainer.errors import KnobRefused
from warehouse.errors import unknown_name
from warehouse.records import JsonValue

OURS: Mapping[str, str] = {
    "max_steps": "[stage] n_steps",
    "num_generations": "[stage] group_size",
    "per_device_train_batch_size": "[stage] prompts_per_step",
    "generation_batch_size": "[stage] prompts_per_step",
    "steps_per_generation": "[trl] gradient_accumulation_steps",
    "learning_rate": "[stage] learning_rate",
    "warmup_steps": "[stage] warmup_steps",
    "warmup_ratio": "[stage] warmup_steps",
    "lr_scheduler_type": "[stage]: constant over the campaign",
    "beta": "[stage] beta",
    "entropy_coef": "[stage] entropy_coef",
    "loss_type": "[stage] loss_type",
    "mask_truncated_completions": "[stage] mask_truncated",
    "num_iterations": "[stage] num_iterations",
    "save_steps": "[stage] checkpoint_every",
    "save_strategy": "[stage] checkpoint_every",
    "temperature": "[sampling] temperature",
    "max_completion_length": "[sampling] max_tokens",
    "use_vllm": "[sampling] engine",
    "seed": "the campaign's seed",
    "data_seed": "the campaign's seed",
    "output_dir": "the home",
    "shuffle_dataset": "the scheduler",
    "reward_weights": "the graders",
    "scale_rewards": "[trl] is refused under pass_k > 1",
    "remove_unused_columns": "fixed",
    "ignore_data_skip": "fixed",
    "logging_nan_inf_filter": "fixed: NaN is never hidden",
}
"""TRL fields that our own settings decide, and where."""

PASSES = {"scale_rewards"}
"""Fields of `OURS` that may pass under a condition checked below."""

CLIPPING = ("epsilon", "epsilon_high", "delta")
ADAPTIVE = ("entropy_coef_min", "entropy_coef_max", "entropy_coef_delta", "entropy_target")
REFERENCE = ("sync_ref_model", "ref_model_mixup_alpha", "ref_model_sync_steps", "use_bias_correction_kl")
FILTERS = ("top_p", "top_k", "min_p", "repetition_penalty", "generation_kwargs", "cache_implementation")

ENTROPY_BOUNDS = {"entropy_coef_delta": 1e-4, "entropy_coef_max": 5e-3}
"""Adaptive entropy as in Skywork-OR1 (arXiv 2505.22312); TRL's defaults are 50 and 200 times these."""


def grpo_config(
    stage: StageConfig,
    sampling: SamplingConfig,
    *,
    output_dir: Path,
    seed: int,
    last_step: int,
    n_processes: int = 1,
) -> GRPOConfig:
    """TRL's settings for a stage that ends at optimizer step `last_step` of its campaign.

    Raises `KnobRefused` for a `[trl]` field that is unknown, ours, or without effect.
    """
    passed = dict(stage.trl)
    check_knobs(passed, stage, sampling)
    accumulation = int(str(passed.pop("gradient_accumulation_steps", 1)))
    if sampling.staleness and (sampling.engine != "lean" or n_processes > 1):
        raise KnobRefused(
            f"staleness {sampling.staleness} needs engine lean and one training process, not {sampling.engine} and "
            f"{n_processes}; see: [sampling] staleness"
        )
    rollouts = stage.prompts_per_step * stage.group_size
    if rollouts % (n_processes * accumulation):
        raise KnobRefused(
            f"{stage.prompts_per_step} prompts x {stage.group_size} rollouts do not divide over {n_processes} "
            f"processes x {accumulation} accumulation steps; see: [stage] prompts_per_step"
        )
    values: dict[str, Any] = {
        "output_dir": str(output_dir),
        "seed": seed,
        "max_steps": last_step,
        "per_device_train_batch_size": rollouts // (n_processes * accumulation),
        "gradient_accumulation_steps": accumulation,
        "steps_per_generation": accumulation,
        "num_generations": stage.group_size,
        "num_iterations": stage.num_iterations,
        "max_completion_length": sampling.max_tokens,
        "temperature": sampling.temperature,
        "learning_rate": stage.learning_rate,
        "warmup_steps": stage.warmup_steps,
        "lr_scheduler_type": "constant_with_warmup",
        "loss_type": stage.loss_type,
        "beta": stage.beta,
        "entropy_coef": stage.entropy_coef,
        "mask_truncated_completions": stage.mask_truncated,
        "use_vllm": sampling.engine == "vllm",
        **device(),
        "gradient_checkpointing": False,
        "save_strategy": "steps",
        "save_steps": stage.checkpoint_every,
        "save_total_limit": 2,
        "logging_steps": 1,
        "logging_nan_inf_filter": False,
        "ignore_data_skip": True,
        "report_to": "none",
        "disable_tqdm": True,
        "shuffle_dataset": False,
        "include_num_input_tokens_seen": False,
    }
    if passed.get("use_adaptive_entropy"):
        values |= ENTROPY_BOUNDS
    return GRPOConfig(**(values | passed))


def device() -> dict[str, bool]:
    """TRL's settings for where it runs: bfloat16 on an accelerator that has it, float32 on the processor."""
    accelerated = torch.cuda.is_available()
    return {"use_cpu": not accelerated, "bf16": accelerated and torch.cuda.is_bf16_supported()}


def check_costs(graders: StackConfig, stage: StageConfig) -> None:
    """Raise `KnobRefused` when costs act in every group while advantages are divided by the group's deviation.

    In a group that is right throughout, the smallest cost would then become an advantage of about 1.
    """
    if graders.costs.act == "scaled" and stage.pass_k == 1 and str(stage.trl.get("scale_rewards", "group")) != "none":
        raise KnobRefused(
            "costs.act = 'scaled' needs rewards that are not scaled by group; see: [trl] scale_rewards = 'none', "
            "or costs.act = 'mixed'"
        )


def check_knobs(passed: Mapping[str, JsonValue], stage: StageConfig, sampling: SamplingConfig) -> None:
    """Raise `KnobRefused` for the first `[trl]` field that is unknown, ours, or does nothing here."""
    known = {field.name for field in dataclasses.fields(GRPOConfig) if field.init}
    for name in passed:
        if name not in known:
            raise KnobRefused(str(unknown_name("[trl] field", name, known, "trl.GRPOConfig")).split("; known")[0])
        if name in OURS and name not in PASSES:
            raise KnobRefused(f"[trl] {name} is decided by {OURS[name]}; remove it from [trl]")
        reason = _without_effect(name, passed, stage, sampling)
        if reason:
            raise KnobRefused(f"[trl] {name} has no effect: {reason}; remove it or change that setting")


def _without_effect(
    name: str, passed: Mapping[str, JsonValue], stage: StageConfig, sampling: SamplingConfig
) -> str | None:
    """Why `name` would change nothing under the other settings, or `None` when it acts."""
    rules: tuple[tuple[bool, bool, str], ...] = (
        (
            name in CLIPPING,
            stage.num_iterations == 1 and sampling.staleness == 0,
            "with one update per generation the ratio is 1 (num_iterations)",
        ),
        (name in ADAPTIVE, not passed.get("use_adaptive_entropy"), "use_adaptive_entropy is off"),
        (name in REFERENCE, stage.beta == 0, "beta is 0, there is no reference policy"),
        (name in FILTERS, sampling.engine == "lean", "the lean engine samples from the whole distribution"),
        (name.startswith("vllm_"), sampling.engine != "vllm", f"engine is {sampling.engine}"),
        (name == "scale_rewards", stage.pass_k > 1, "pass@k advantages are not scaled"),
        (name.startswith("sapo_"), True, "loss_type is not sapo"),
        (name.startswith("vespo_"), True, "loss_type is not vespo"),
    )
    return next((reason for concerned, idle, reason in rules if concerned and idle), None)
