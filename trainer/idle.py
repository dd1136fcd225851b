"""When TRL would take a field of `GRPOConfig` and do nothing with it: rules over a stage's other settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from trainer.config import SamplingConfig, StageConfig
from warehouse.records import JsonValue


class Setting(NamedTuple):
    """What a field stands among."""

    passed: Mapping[str, JsonValue]
    stage: StageConfig
    sampling: SamplingConfig
    n_processes: int

    @property
    def on_policy(self) -> bool:
        """Whether rollouts train the weights that wrote them: the ratio is 1."""
        apart = self.sampling.staleness > 0 or bool(self.sampling.server)
        return self.stage.num_iterations == 1 and not apart

    @property
    def weighs_tokens(self) -> bool:
        """Whether some tokens of a completion count otherwise than others, so that even a ratio of 1 has its level."""
        corrected = self.stage.beta > 0 and not self.off("use_bias_correction_kl")
        return corrected or self.passed.get("top_entropy_quantile", 1.0) != 1.0

    def off(self, name: str, default: JsonValue = False) -> bool:
        """Whether a switch is off."""
        return not self.passed.get(name, default)

    def reports_to(self, *names: str) -> bool:
        """Whether one of the tools is reported to."""
        told = self.passed.get("report_to") or []
        return told == "all" or any(name in told for name in names if isinstance(told, list)) or told in names


class Rule(NamedTuple):
    """Fields that do nothing where `idle` holds, and why."""

    names: tuple[str, ...]
    idle: Callable[[Setting], bool]
    why: str


RULES = (
    Rule(
        ("epsilon", "epsilon_high", "delta"),
        lambda s: s.on_policy and s.stage.loss_type != "cispo",
        "with one update per generation the ratio is 1 (num_iterations)",
    ),
    Rule(
        ("importance_sampling_level",),
        lambda s: s.on_policy and not s.weighs_tokens,
        "with one update per generation the ratio is 1 (num_iterations)",
    ),
    Rule(("delta",), lambda s: s.stage.loss_type == "cispo", "cispo clips from above alone (epsilon_high)"),
    Rule(
        ("epsilon",),
        lambda s: s.stage.loss_type == "cispo" and s.passed.get("epsilon_high") is not None,
        "cispo clips from above alone, at epsilon_high where that is given",
    ),
    Rule(
        ("off_policy_mask_threshold",),
        lambda s: s.on_policy and s.sampling.engine != "vllm",
        "rollouts train the weights that wrote them (num_iterations, staleness)",
    ),
    Rule(
        ("entropy_coef_min", "entropy_coef_max", "entropy_coef_delta", "entropy_target"),
        lambda s: s.off("use_adaptive_entropy"),
        "use_adaptive_entropy is off",
    ),
    Rule(
        ("sync_ref_model", "ref_model_mixup_alpha", "ref_model_sync_steps", "use_bias_correction_kl"),
        lambda s: s.stage.beta == 0,
        "beta is 0, there is no reference policy",
    ),
    Rule(("ref_model_mixup_alpha", "ref_model_sync_steps"), lambda s: s.off("sync_ref_model"), "sync_ref_model is off"),
    Rule(
        ("top_p", "top_k", "min_p", "repetition_penalty", "generation_kwargs", "cache_implementation",
         "use_transformers_continuous_batching", "use_transformers_paged", "transformers_continuous_batching_config"),
        lambda s: s.sampling.engine == "lean",
        "the lean engine samples from the whole distribution",
    ),
    Rule(
        ("cache_implementation", "use_transformers_continuous_batching", "use_transformers_paged",
         "transformers_continuous_batching_config"),
        lambda s: s.sampling.engine == "vllm",
        "engine is vllm",
    ),
    Rule(
        ("transformers_continuous_batching_config",),
        lambda s: s.off("use_transformers_continuous_batching"),
        "use_transformers_continuous_batching is off",
    ),
    Rule(
        ("vllm_server_base_url", "vllm_server_host", "vllm_server_port", "vllm_server_timeout", "vllm_group_port"),
        lambda s: s.passed.get("vllm_mode", "colocate") == "colocate",
        "vllm_mode is colocate",
    ),
    Rule(
        ("vllm_gpu_memory_utilization", "vllm_max_model_length", "vllm_tensor_parallel_size", "vllm_model_impl",
         "vllm_enable_sleep_mode"),
        lambda s: s.passed.get("vllm_mode") == "server",
        "vllm_mode is server",
    ),
    Rule(
        ("vllm_server_host", "vllm_server_port"),
        lambda s: "vllm_server_base_url" in s.passed,
        "vllm_server_base_url names both",
    ),
    Rule(
        ("vllm_importance_sampling_mode", "vllm_importance_sampling_clip_max", "vllm_importance_sampling_clip_min",
         "vllm_importance_sampling_cap"),
        lambda s: s.off("vllm_importance_sampling_correction", True),
        "vllm_importance_sampling_correction is off",
    ),
    Rule(
        ("scale_rewards", "multi_objective_aggregation"),
        lambda s: s.stage.pass_k > 1,
        "pass@k advantages are not scaled",
    ),
    Rule(
        ("scale_rewards",),
        lambda s: s.passed.get("multi_objective_aggregation") == "normalize_then_sum",
        "normalize_then_sum scales by itself",
    ),
    Rule(
        ("num_completions_to_print", "log_unique_prompts", "log_completions_hub_repo"),
        lambda s: s.off("log_completions"),
        "log_completions is off",
    ),
    Rule(
        ("log_unique_prompts",),
        lambda s: not s.reports_to("wandb", "trackio"),
        "report_to names neither wandb nor trackio",
    ),
    Rule(
        ("project", "trackio_space_id", "trackio_bucket_id", "trackio_static_space_id"),
        lambda s: not s.reports_to("trackio"),
        "report_to does not name trackio",
    ),
    Rule(("run_name",), lambda s: s.passed.get("report_to", "none") in ("none", [], None), "report_to is none"),
    Rule(
        ("hub_model_id", "hub_strategy", "hub_always_push", "hub_revision"),
        lambda s: s.off("push_to_hub"),
        "push_to_hub is off",
    ),
    Rule(
        ("gradient_checkpointing_kwargs",),
        lambda s: s.off("gradient_checkpointing"),
        "gradient_checkpointing is off",
    ),
    Rule(("liger_kernel_config",), lambda s: s.off("use_liger_kernel"), "use_liger_kernel is off"),
    Rule(
        ("adam_beta1", "adam_beta2", "adam_epsilon"),
        lambda s: str(s.passed.get("optim", "adamw")).startswith(("sgd", "adagrad", "adafactor", "rmsprop")),
        "optim is none of the Adam family",
    ),
    Rule(
        ("ddp_find_unused_parameters", "ddp_bucket_cap_mb", "ddp_broadcast_buffers", "ddp_static_graph", "ddp_backend",
         "ddp_timeout"),
        lambda s: s.n_processes == 1,
        "there is one training process",
    ),
)  # fmt: skip
"""When TRL would take a field and do nothing with it."""

PREFIXES = (Rule(("vllm_",), lambda s: s.sampling.engine != "vllm", "engine is not vllm"),)
"""The same for all fields that begin with a name."""


NEVER = {"log_multimodal": "prompts are text", "sapo_": "loss_type is not sapo", "vespo_": "loss_type is not vespo"}
"""Fields, by how they begin, that act under no setting, and why."""


def idle_because(name: str, setting: Setting) -> str | None:
    """Why `name` would change nothing beside the other settings, or `None` when it acts."""
    if never := next((why for begins, why in NEVER.items() if name.startswith(begins)), None):
        return never
    concerned = [rule for rule in PREFIXES if name.startswith(rule.names)]
    concerned += [rule for rule in RULES if name in rule.names]
    return next((rule.why for rule in concerned if rule.idle(setting)), None)


def effective(stage: StageConfig, sampling: SamplingConfig) -> tuple[StageConfig, SamplingConfig]:
    """Both without what has no effect beside the rest, as after an action that moved a setting which others need.

    >>> stage, sampling = StageConfig(trl={"epsilon_high": 0.3}), SamplingConfig(staleness=2, queue_batches=3)
    >>> stage, sampling = effective(stage, sampling.model_copy(update={"staleness": 0}))
    >>> stage.trl, sampling.queue_batches
    ({}, 0)
    """
    setting = Setting(stage.trl, stage, sampling, 1)
    kept = {name: value for name, value in stage.trl.items() if idle_because(name, setting) is None}
    if sampling.staleness == 0:
        beside = {name: SamplingConfig.model_fields[name].default for name in ("queue_batches", "grading_threads")}
        sampling = sampling.model_copy(update=beside)
    return stage.model_copy(update={"trl": kept}), sampling
