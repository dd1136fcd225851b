"""Which fields of `trl.GRPOConfig` a stage may set: not those that are ours, unknown, or idle beside the others."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError

from synth.graders.config import StackConfig
from trainer.config import SamplingConfig, StageConfig
from trainer.errors import KnobRefused
from trainer.idle import Setting, idle_because
from warehouse.errors import unknown_name
from warehouse.records import JsonValue

_EVALUATES, _LABELS = "a stage evaluates nothing; see [evaluation]", "rewards, a stage has no labels"
_SCHEDULER, _FIXED = "the scheduler, which draws one batch ahead", "fixed: resuming and recording rest on it"

OURS: Mapping[str, str] = {
    "max_steps": "[stage] n_steps",
    "num_train_epochs": "[stage] n_steps",
    "num_generations": "[stage] group_size",
    "per_device_train_batch_size": "[stage] prompts_per_step",
    "generation_batch_size": "[stage] prompts_per_step",
    "auto_find_batch_size": "[stage] prompts_per_step",
    "steps_per_generation": "[stage.trl] gradient_accumulation_steps",
    "learning_rate": "[stage] learning_rate",
    "warmup_steps": "[stage] warmup_steps",
    "warmup_ratio": "[stage] warmup_steps",
    "lr_scheduler_type": "[stage]: constant over the campaign",
    "lr_scheduler_kwargs": "[stage]: constant over the campaign",
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
    "max_tool_calling_iterations": "[sampling.episodes] calls",
    "model_init_kwargs": "[policy]",
    "trust_remote_code": "[policy]",
    "chat_template_kwargs": "the policy, which renders prompts itself",
    "seed": "the campaign's seed",
    "data_seed": "the campaign's seed",
    "output_dir": "the home",
    "reward_weights": "the graders",
    **dict.fromkeys(("shuffle_dataset", "train_sampling_strategy", "length_column_name"), _SCHEDULER),
    **dict.fromkeys(
        ("dataloader_num_workers", "dataloader_drop_last", "dataloader_persistent_workers", "dataloader_in_order",
         "dataloader_prefetch_factor", "dataloader_multiprocessing_context", "accelerator_config"), _SCHEDULER
    ),
    **dict.fromkeys(("label_smoothing_factor", "label_names"), _LABELS),
    **dict.fromkeys(
        ("do_train", "do_eval", "do_predict", "eval_strategy", "eval_steps", "eval_delay", "eval_on_start",
         "eval_accumulation_steps", "eval_do_concat_batches", "eval_use_gather_object", "per_device_eval_batch_size",
         "num_generations_eval", "prediction_loss_only", "include_for_metrics", "batch_eval_metrics",
         "bf16_full_eval", "fp16_full_eval", "load_best_model_at_end", "metric_for_best_model", "greater_is_better"),
        _EVALUATES,
    ),
    **dict.fromkeys(
        ("remove_unused_columns", "ignore_data_skip", "save_only_model", "save_total_limit", "logging_strategy",
         "logging_steps", "logging_first_step", "resume_from_checkpoint", "restore_callback_states_from_checkpoint",
         "include_num_input_tokens_seen"), _FIXED
    ),
    "logging_nan_inf_filter": "fixed: NaN is never hidden",
}  # fmt: skip
"""TRL fields that our own settings decide, and where."""

CHOICES: Mapping[str, tuple[JsonValue, ...]] = {
    "scale_rewards": ("group", "batch", "none", True, False),
    "multi_objective_aggregation": ("sum_then_normalize", "normalize_then_sum"),
    "importance_sampling_level": ("token", "sequence"),
    "vllm_mode": ("colocate", "server"),
    "vllm_importance_sampling_mode": ("token_truncate", "token_mask", "sequence_truncate", "sequence_mask"),
}
"""Values that TRL itself looks at only when the first batch is there."""

PACKAGES = {"azure_ml": "azureml", "flyte": "flytekit"}
"""Packages of the tools in `report_to`, where their names differ."""

IN_EXTRA = ("tensorboard", "trackio")
"""Tools that the extra `report` installs."""


def check_stage(
    stage: StageConfig, sampling: SamplingConfig, *, graders: StackConfig | None = None, n_processes: int = 1
) -> None:
    """Raise `KnobRefused` for the first setting of a stage that cannot be used; TRL is asked only where it has to be.

    Covered: a `[stage.trl]` field that is unknown, ours, of a wrong type or without effect; a tool to report to that
    is not installed; batches that cannot be divided; staleness or costs that the other settings do not allow.
    """
    setting = Setting(stage.trl, stage, sampling, n_processes)
    if stage.trl:
        _check_fields(setting)
    if sampling.staleness and (sampling.engine != "lean" or n_processes > 1):
        raise KnobRefused(
            f"staleness {sampling.staleness} needs engine lean and one training process, not {sampling.engine} and "
            f"{n_processes}; see: [sampling] staleness"
        )
    if sampling.server and n_processes > 1:
        raise KnobRefused(f"a server samples for one training process, not {n_processes}; see: [sampling] server")
    rollouts, accumulation = stage.prompts_per_step * stage.group_size, accumulation_of(stage)
    if rollouts % (n_processes * accumulation):
        raise KnobRefused(
            f"{stage.prompts_per_step} prompts x {stage.group_size} rollouts do not divide over {n_processes} "
            f"processes x {accumulation} accumulation steps; see: [stage] prompts_per_step"
        )
    if graders is not None:
        _check_costs(graders, stage)


def accumulation_of(stage: StageConfig) -> int:
    """Parts that a step's batch is trained in; raises `KnobRefused` unless it is a whole number from 1."""
    value = stage.trl.get("gradient_accumulation_steps", 1)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise KnobRefused(f"[stage.trl] gradient_accumulation_steps is {value!r}, must be a whole number from 1")
    return value


def _check_fields(setting: Setting) -> None:
    from trl import GRPOConfig

    known = {field.name: field.type for field in dataclasses.fields(GRPOConfig) if field.init}
    for name, value in setting.passed.items():
        if name not in known:
            told = str(unknown_name("[stage.trl] field", name, known, "trl.GRPOConfig"))
            raise KnobRefused(f"{told.split('; known')[0]}; see: trl.GRPOConfig")
        if name in OURS:
            raise KnobRefused(f"[stage.trl] {name} is decided by {OURS[name]}; remove it from [stage.trl]")
        _check_value(name, value, known[name])
        if why := idle_because(name, setting):
            raise KnobRefused(f"[stage.trl] {name} has no effect: {why}; remove it or change that setting")
    _check_reports(setting.passed.get("report_to"))


def _check_value(name: str, value: JsonValue, kind: Any) -> None:
    allowed = CHOICES.get(name)
    if allowed is not None and value not in allowed:
        shown = ", ".join(str(one) for one in allowed if not isinstance(one, bool))
        raise KnobRefused(f"[stage.trl] {name} is {value!r}, must be one of {shown}")
    if name == "optim":
        _check_optimizer(str(value))
    if allowed is not None or isinstance(kind, str):
        return
    try:
        TypeAdapter(kind, config=ConfigDict(arbitrary_types_allowed=True)).validate_python(value)
    except ValidationError as error:
        raise KnobRefused(f"[stage.trl] {name} is {value!r}: {error.errors()[0]['msg']}") from error
    except PydanticUserError:
        return  # a type that only TRL itself can read


def _check_optimizer(value: str) -> None:
    from transformers.training_args import OptimizerNames

    known = [str(one.value) for one in OptimizerNames]
    if value not in known:
        raise KnobRefused(f"[stage.trl] {unknown_name('optim', value, known, 'transformers.training_args')}")


def _check_reports(told: JsonValue) -> None:
    from transformers.integrations.integration_utils import INTEGRATION_TO_CALLBACK

    names = told if isinstance(told, list) else [told]
    for name in names:
        if name in (None, "none", "all"):
            continue
        if name not in INTEGRATION_TO_CALLBACK:
            near = str(unknown_name("tool", str(name), INTEGRATION_TO_CALLBACK, "[stage.trl] report_to"))
            raise KnobRefused(f"[stage.trl] report_to: {near}")
        package = PACKAGES.get(str(name), str(name))
        if importlib.util.find_spec(package) is None:
            wanted = "'gradatim[report]'" if name in IN_EXTRA else package
            raise KnobRefused(
                f"[stage.trl] report_to names {name}, whose package {package} is not installed; "
                f"see: pip install {wanted}"
            )


def _check_costs(graders: StackConfig, stage: StageConfig) -> None:
    """Refuse costs that act in every group while advantages are divided by the group's deviation.

    In a group that is right throughout, the smallest cost would then become an advantage of about 1.
    """
    if graders.costs.act == "scaled" and stage.pass_k == 1 and stage.trl.get("scale_rewards") not in ("none", False):
        raise KnobRefused(
            "costs.act = 'scaled' needs rewards that are not scaled by group; see: [stage.trl] scale_rewards = "
            "'none', or costs.act = 'mixed'"
        )
