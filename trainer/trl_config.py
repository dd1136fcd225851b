"""From our settings to TRL's `GRPOConfig`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from trl import GRPOConfig

from synth.graders.config import StackConfig
from trainer.config import SamplingConfig, StageConfig
from trainer.errors import KnobRefused
from trainer.knobs import accumulation_of, check_stage

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
    graders: StackConfig | None = None,
) -> GRPOConfig:
    """TRL's settings for a stage that ends at optimizer step `last_step` of its campaign.

    Raises `KnobRefused` for what `trainer.knobs.check_stage` refuses, and for what TRL does.
    """
    check_stage(stage, sampling, graders=graders, n_processes=n_processes)
    passed: dict[str, Any] = {name: value for name, value in stage.trl.items() if name != "gradient_accumulation_steps"}
    accumulation = accumulation_of(stage)
    rollouts = stage.prompts_per_step * stage.group_size
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
        "run_name": output_dir.name,
        "project": "gradatim",
        "disable_tqdm": True,
        "shuffle_dataset": False,
        "include_num_input_tokens_seen": False,
    }
    if passed.get("use_adaptive_entropy"):
        values |= ENTROPY_BOUNDS
    try:
        return GRPOConfig(**(values | passed))
    except (TypeError, ValueError, ImportError) as error:
        raise KnobRefused(f"TRL refuses the settings of [stage.trl]: {' '.join(str(error).split())[:300]}") from error


def device() -> dict[str, bool]:
    """TRL's settings for where it runs: bfloat16 on an accelerator that has it, float32 on the processor."""
    accelerated = torch.cuda.is_available()
    return {"use_cpu": not accelerated, "bf16": accelerated and torch.cuda.is_bf16_supported()}
