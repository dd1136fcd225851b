import pytest
from pydantic import ValidationError

from trainer.config import SamplingConfig, StageConfig
from trainer.errors import KnobRefused
from trainer.trl_config import grpo_config


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


def test_reporting_passes_through(tmp_path):
    assert made(tmp_path, trl={"report_to": ["tensorboard"]}).report_to == ["tensorboard"]


@pytest.mark.parametrize(
    ("stage", "word"),
    [
        ({"trl": {"max_grad_nrm": 1.0}}, "nearest: max_grad_norm"),
        ({"trl": {"temperature": 0.7}}, r"\[sampling\] temperature"),
        ({"trl": {"epsilon_high": 0.28}}, "the ratio is 1"),
        ({"trl": {"entropy_target": 1.0}}, "use_adaptive_entropy is off"),
        ({"trl": {"sync_ref_model": True}}, "no reference policy"),
        ({"trl": {"top_p": 0.9}}, "whole distribution"),
        ({"trl": {"vllm_mode": "colocate"}}, "engine is lean"),
        ({"trl": {"scale_rewards": "none"}, "pass_k": 2}, "not scaled"),
        ({"prompts_per_step": 3, "group_size": 3, "trl": {"gradient_accumulation_steps": 2}}, "do not divide"),
    ],
)
def test_a_knob_that_is_unknown_or_idle_is_refused(tmp_path, stage, word):
    with pytest.raises(KnobRefused, match=word):
        made(tmp_path, **stage)


def test_clip_higher_acts_with_several_updates_on_a_batch(tmp_path):
    args = made(tmp_path, num_iterations=2, trl={"epsilon_high": 0.28})
    assert (args.num_iterations, args.epsilon_high) == (2, 0.28)


def test_adaptive_entropy_starts_from_the_recipes_bounds(tmp_path):
    args = made(tmp_path, trl={"use_adaptive_entropy": True, "entropy_target": 0.4})
    assert (args.entropy_coef_delta, args.entropy_coef_max) == (1e-4, 5e-3)


def test_pass_k_beyond_half_a_group_is_refused():
    with pytest.raises(ValidationError, match="at most group_size / 2"):
        StageConfig(group_size=8, pass_k=5)
