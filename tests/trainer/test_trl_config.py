import dataclasses

import pytest
from pydantic import ValidationError
from trl import GRPOConfig

from synth.graders import read_config
from trainer.config import PolicyConfig, SamplingConfig, StageConfig, trl_within_stage
from trainer.errors import KnobRefused
from trainer.idle import NEVER, PREFIXES, RULES, Setting
from trainer.knobs import CHOICES, OURS, check_stage
from trainer.trl_config import grpo_config

EVERYTHING_ON = {
    "use_adaptive_entropy": True, "sync_ref_model": True, "use_bias_correction_kl": True, "epsilon_high": 0.3,
    "use_transformers_continuous_batching": True, "vllm_mode": "server", "vllm_server_base_url": "http://there",
    "vllm_importance_sampling_correction": False, "multi_objective_aggregation": "normalize_then_sum",
    "log_completions": True, "report_to": ["trackio"], "push_to_hub": True, "gradient_checkpointing": True,
    "use_liger_kernel": True, "optim": "sgd",
}  # fmt: skip
"""Every switch that some rule looks at, the other way."""


def made(tmp_path, sampling=None, **stage):
    return grpo_config(StageConfig(**stage), sampling or SamplingConfig(), output_dir=tmp_path, seed=0, last_step=10)


def test_our_settings_arrive(tmp_path):
    args = made(tmp_path, trl={"max_grad_norm": 0.5})
    assert (args.max_grad_norm, args.loss_type, args.beta, args.temperature) == (0.5, "dapo", 0, 1.0)
    assert (args.generation_batch_size, args.num_generations, args.max_steps) == (256, 8, 10)
    assert args.lr_scheduler_type == "constant_with_warmup"
    assert not args.logging_nan_inf_filter
    assert args.use_cpu
    assert not args.bf16


def test_reports_are_called_after_the_stage(tmp_path):
    args = made(tmp_path / "5ea1")
    assert (args.report_to, args.run_name, args.project) == ([], "5ea1", "gradatim")


@pytest.mark.parametrize(
    ("stage", "word"),
    [
        ({"trl": {"max_grad_nrm": 1.0}}, "nearest: max_grad_norm"),
        ({"trl": {"temperature": 0.7}}, r"\[sampling\] temperature"),
        ({"trl": {"num_train_epochs": 2}}, r"\[stage\] n_steps"),
        ({"trl": {"logging_steps": 5}}, "recording rest on it"),
        ({"trl": {"save_only_model": True}}, "resuming and recording"),
        ({"trl": {"dataloader_num_workers": 2}}, "the scheduler"),
        ({"trl": {"eval_steps": 2}}, "evaluates nothing"),
        ({"trl": {"label_smoothing_factor": 0.1}}, "no labels"),
        ({"trl": {"model_init_kwargs": {}}}, r"\[policy\]"),
        ({"trl": {"max_grad_norm": "loud"}}, "max_grad_norm is 'loud': Input should be a valid number"),
        ({"trl": {"scale_rewards": "grop"}}, "must be one of group, batch, none"),
        ({"trl": {"gradient_accumulation_steps": 0}}, "must be a whole number from 1"),
        ({"trl": {"gradient_accumulation_steps": "two"}}, "is 'two'"),
        ({"trl": {"optim": "sdg"}}, "nearest: sgd"),
        ({"trl": {"report_to": ["tensorbord"]}}, "nearest: tensorboard"),
        ({"trl": {"report_to": "mlflow"}}, "pip install mlflow"),
        ({"trl": {"epsilon_high": 0.28}}, "the ratio is 1"),
        ({"trl": {"importance_sampling_level": "sequence"}}, "the ratio is 1"),
        ({"trl": {"epsilon": 0.1, "epsilon_high": 5.0}, "loss_type": "cispo"}, "from above alone"),
        ({"trl": {"delta": 2.0}, "loss_type": "cispo"}, "from above alone"),
        ({"trl": {"off_policy_mask_threshold": 0.5}}, "the weights that wrote them"),
        ({"trl": {"entropy_target": 1.0}}, "use_adaptive_entropy is off"),
        ({"trl": {"sync_ref_model": True}}, "no reference policy"),
        ({"trl": {"ref_model_sync_steps": 64}, "beta": 0.1}, "sync_ref_model is off"),
        ({"trl": {"top_p": 0.9}}, "whole distribution"),
        ({"trl": {"use_transformers_continuous_batching": True}}, "whole distribution"),
        ({"trl": {"vllm_mode": "colocate"}}, "engine is not vllm"),
        ({"trl": {"vespo_k_pos": 2.0}}, "not vespo"),
        ({"trl": {"scale_rewards": "none"}, "pass_k": 2}, "not scaled"),
        (
            {"trl": {"scale_rewards": "none", "multi_objective_aggregation": "normalize_then_sum"}},
            "normalize_then_sum scales",
        ),
        ({"trl": {"num_completions_to_print": 2}}, "log_completions is off"),
        ({"trl": {"log_completions": True, "log_unique_prompts": True}}, "neither wandb nor trackio"),
        ({"trl": {"run_name": "x"}}, "report_to is none"),
        ({"trl": {"project": "x"}}, "does not name trackio"),
        ({"trl": {"hub_model_id": "x"}}, "push_to_hub is off"),
        ({"trl": {"gradient_checkpointing_kwargs": {}}}, "gradient_checkpointing is off"),
        ({"trl": {"adam_beta2": 0.9, "optim": "sgd"}}, "none of the Adam family"),
        ({"trl": {"ddp_timeout": 60}}, "one training process"),
        ({"prompts_per_step": 3, "group_size": 3, "trl": {"gradient_accumulation_steps": 2}}, "do not divide"),
    ],
)
def test_a_knob_that_is_unknown_ours_wrong_or_idle_is_refused_in_one_line(tmp_path, stage, word):
    with pytest.raises(KnobRefused, match=word) as refused:
        made(tmp_path, **stage)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("trl", "word"),
    [
        ({"vllm_server_port": 8001}, "vllm_mode is colocate"),
        ({"vllm_mode": "server", "vllm_gpu_memory_utilization": 0.3}, "vllm_mode is server"),
        ({"vllm_mode": "serve"}, "one of colocate, server"),
        ({"vllm_mode": "server", "vllm_server_base_url": "u", "vllm_server_port": 1}, "names both"),
        ({"vllm_importance_sampling_correction": False, "vllm_importance_sampling_clip_max": 2.0}, "correction is off"),
        ({"cache_implementation": "static"}, "engine is vllm"),
    ],
)
def test_knobs_of_vllm_that_do_nothing_are_refused(trl, word):
    with pytest.raises(KnobRefused, match=word):
        check_stage(StageConfig(trl=trl), SamplingConfig(engine="vllm"))


@pytest.mark.parametrize(
    ("stage", "sampling"),
    [
        ({"trl": {"epsilon_high": 0.28, "importance_sampling_level": "sequence"}, "num_iterations": 2}, {}),
        ({"trl": {"epsilon_high": 0.28, "off_policy_mask_threshold": 0.5}}, {"staleness": 2}),
        ({"trl": {"use_adaptive_entropy": True, "entropy_target": 0.4}}, {}),
        ({"trl": {"sync_ref_model": True, "ref_model_sync_steps": 64}, "beta": 0.1}, {}),
        ({"trl": {"top_p": 0.9, "generation_kwargs": {"min_new_tokens": 2}}}, {"engine": "transformers"}),
        ({"trl": {"vllm_mode": "server", "vllm_server_base_url": "http://localhost:8000"}}, {"engine": "vllm"}),
        ({"trl": {"vllm_gpu_memory_utilization": 0.3, "vllm_importance_sampling_clip_max": 2}}, {"engine": "vllm"}),
        ({"trl": {"off_policy_mask_threshold": 0.5, "scale_rewards": False, "weight_decay": 0}}, {"engine": "vllm"}),
        ({"trl": {"multi_objective_aggregation": "normalize_then_sum", "adam_beta2": 0.9}}, {}),
        ({"trl": {"gradient_checkpointing": True, "gradient_checkpointing_kwargs": {"use_reentrant": False}}}, {}),
        ({"trl": {"epsilon_high": 5.0}, "loss_type": "cispo"}, {}),
        ({"trl": {"epsilon": 5.0}, "loss_type": "cispo"}, {}),
        ({"trl": {"importance_sampling_level": "sequence", "top_entropy_quantile": 0.2}}, {}),
        ({"trl": {"importance_sampling_level": "sequence", "use_bias_correction_kl": True}, "beta": 0.02}, {}),
        ({"trl": {"log_completions": True, "num_completions_to_print": 2, "top_entropy_quantile": 0.2}}, {}),
    ],
)
def test_what_acts_passes(stage, sampling):
    check_stage(StageConfig(**stage), SamplingConfig(**sampling))


def test_the_rules_name_fields_that_trl_has():
    known = {field.name for field in dataclasses.fields(GRPOConfig)}
    named = {name for rule in RULES for name in rule.names}
    assert named | {*CHOICES} <= known
    assert {*OURS} - known == {"warmup_ratio"} - known
    assert all(any(name.startswith(rule.names) for name in known) for rule in PREFIXES)


def test_several_processes_may_set_how_they_talk():
    check_stage(StageConfig(trl={"ddp_timeout": 60}), SamplingConfig(), n_processes=2)


def test_our_own_knobs_without_effect_are_refused():
    for config, values, word in (
        (SamplingConfig, {"queue_batches": 2}, "queue_batches is 2 and has no effect: staleness is 0"),
        (SamplingConfig, {"grading_threads": 4}, "staleness is 0"),
        (PolicyConfig, {"revision": "main"}, "does not come from the hub"),
    ):
        with pytest.raises(ValidationError, match=word):
            config(**values)
    assert SamplingConfig(staleness=1, queue_batches=2, grading_threads=4).queue_batches == 2


def test_a_credential_is_not_taken_into_settings_that_are_stored():
    with pytest.raises(ValidationError, match="set HF_TOKEN in the environment"):
        StageConfig(trl={"hub_token": "hf_x"})


def test_costs_that_act_everywhere_need_rewards_that_are_not_scaled():
    text = '[costs]\nact = "scaled"\n[[grader]]\nname = "right"\nuses = "verifier"\n'
    with pytest.raises(KnobRefused, match="scale_rewards = 'none'"):
        check_stage(StageConfig(), SamplingConfig(), graders=read_config(text))
    check_stage(StageConfig(trl={"scale_rewards": False}), SamplingConfig(), graders=read_config(text))


def test_clip_higher_acts_with_several_updates_on_a_batch(tmp_path):
    args = made(tmp_path, num_iterations=2, trl={"epsilon_high": 0.28})
    assert (args.num_iterations, args.epsilon_high) == (2, 0.28)


def test_adaptive_entropy_starts_from_the_recipes_bounds(tmp_path):
    args = made(tmp_path, trl={"use_adaptive_entropy": True, "entropy_target": 0.4})
    assert (args.entropy_coef_delta, args.entropy_coef_max) == (1e-4, 5e-3)


def test_pass_k_beyond_half_a_group_is_refused():
    with pytest.raises(ValidationError, match="at most group_size / 2"):
        StageConfig(group_size=8, pass_k=5)


def test_a_table_trl_reaches_a_stage_that_was_made_before():
    told = trl_within_stage({"trl": {"max_grad_norm": 0.5}, "stage": StageConfig(n_steps=9, trl={"weight_decay": 0.1})})
    assert StageConfig.model_validate(told["stage"]) == StageConfig(
        n_steps=9, trl={"max_grad_norm": 0.5, "weight_decay": 0.1}
    )


def test_a_field_that_never_acts_is_in_a_table_of_its_own_and_every_rule_depends_on_a_setting():
    fields = [field.name for field in dataclasses.fields(GRPOConfig)]
    assert all(any(field.startswith(begins) for field in fields) for begins in NEVER)
    settings = [
        Setting(trl, StageConfig(**stage), SamplingConfig(**sampling), n)
        for trl in ({}, EVERYTHING_ON)
        for stage in ({}, {"num_iterations": 2, "beta": 0.1}, {"pass_k": 2}, {"loss_type": "cispo"})
        for sampling in ({}, {"engine": "transformers"}, {"engine": "vllm"})
        for n in (1, 2)
    ]
    for rule in (*RULES, *PREFIXES):
        assert {rule.idle(setting) for setting in settings} == {True, False}, rule.names
