"""Settings of policies, warm start, sampling and stages; imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from synth.engines.config import ModelConfig
from synth.graders.config import StackConfig


class Frozen(BaseModel):
    """A frozen table of settings that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class LoraConfig(Frozen):
    """A low-rank adapter that reinforcement trains instead of all weights; a warm start still trains them all."""

    rank: int = Field(8, ge=1)
    """Rank r of the difference BA of every adapted layer."""
    alpha: float = Field(16, gt=0)
    """The difference is scaled by alpha / rank."""
    dropout: float = Field(0.0, ge=0, lt=1)
    """Dropout before the adapter while training."""
    targets: str | tuple[str, ...] = "all-linear"
    """Names of the layers to adapt, or `all-linear`."""


class PolicyConfig(Frozen):
    """Which policy is trained."""

    name: str = "pocket"
    """`pocket`, `pocket_agent`, `pocket_tools`, `smollm`, a hub name, or a local folder with a saved model."""
    revision: str | None = None
    """Revision of a hub model."""
    max_prompt_tokens: int = Field(512, ge=1)
    """Tokens; longer prompts are left out of a stage and counted."""
    lora: LoraConfig | None = None
    """Train an adapter of this shape; none trains all weights."""

    @model_validator(mode="after")
    def _effective(self) -> PolicyConfig:
        if self.revision is not None and self.name in ("pocket", "pocket_agent", "pocket_tools", "smollm"):
            raise ValueError(f"revision has no effect: policy '{self.name}' does not come from the hub")
        return self


class WarmStartConfig(Frozen):
    """How the pocket policy learns from clean demonstrations before reinforcement."""

    n_steps: int = Field(350, ge=0)
    """Optimizer steps."""
    batch_size: int = Field(128, ge=1)
    """Demonstrations a step."""
    learning_rate: float = Field(2e-3, gt=0)
    """Rate of AdamW: 20 steps of warm-up, then constant."""
    level_weights: tuple[float, ...] = (40, 30, 18, 8, 3, 1, 0.3, 0.1)
    """Weight of a family's first, second, ... level: long levels are rare. The last weight stands for all further."""
    n_scripts: int = Field(200, ge=1)
    """Scripted trajectories that a pocket agent imitates."""
    cheat_rate: float = Field(0.1, ge=0, le=1)
    """Share of them that edit the check instead of the program, so that reinforcement finds the cheat to hand."""
    family_weights: dict[str, float] = Field(default_factory=dict)
    """Weight per family name; 1 for families that are not named."""
    threads: int = Field(1, ge=1)
    """Torch threads."""

    @field_validator("level_weights")
    @classmethod
    def _some_weight(cls, weights: tuple[float, ...]) -> tuple[float, ...]:
        if not weights or min(weights) < 0 or sum(weights) <= 0:
            raise ValueError(f"level_weights must be non-negative with a positive sum, got {list(weights)}")
        return weights


class EpisodeConfig(Frozen):
    """How a policy plays agent tasks: the budget of an episode, and how it writes calls."""

    calls: int = Field(30, ge=1, le=10_000)
    """Tool calls, and so turns, of an episode."""
    tokens: int = Field(20_000, ge=1)
    """Tokens that the policy writes in an episode."""
    seconds: float = Field(600.0, gt=0)
    """Seconds of an episode; those that are played at once share them."""
    observation_characters: int = Field(8_000, ge=200)
    """Longest observation; the middle of a longer one is left out."""
    grammar: Literal["json", "terse"] = "json"
    """`json`: one JSON object a call; `terse`: a tool's name and its arguments, divided by spaces."""


class SamplingConfig(Frozen):
    """How completions are drawn, in stages, calibration and evaluation alike."""

    temperature: float = Field(1.0, ge=0)
    """Softmax temperature; 0 is greedy."""
    max_tokens: int = Field(14, ge=1)
    """Tokens of a completion, its end token included; of one turn in an agent task."""
    episodes: EpisodeConfig | None = None
    """Budget and grammar of agent tasks; none means the defaults."""
    engine: Literal["lean", "transformers", "vllm"] = "lean"
    """`lean`: our batched loop over the key-value cache; `transformers`: its generate; `vllm`: TRL's vLLM path."""
    staleness: int = Field(0, ge=0)
    """Optimizer steps that rollouts may lag behind the weights they train; 0 samples in step, more samples in a
    process of its own beside the trainer (engine `lean`, one training process)."""
    queue_batches: int = Field(0, ge=0)
    """Batches asked for ahead of the one that trains; 0 is `staleness`. More are dropped when they come too early."""
    grading_threads: int = Field(2, ge=1)
    """Batches that the sampling process grades at once."""
    server: str = Field("", pattern=r"^(https?://.+)?$")
    """A running vLLM server that samples for a stage in the place of `lean`, and takes new weights by path."""

    @model_validator(mode="after")
    def _effective(self) -> SamplingConfig:
        for name, value, default in (
            ("queue_batches", self.queue_batches, 0),
            ("grading_threads", self.grading_threads, 2),
        ):
            if self.staleness == 0 and value != default:
                raise ValueError(f"{name} is {value} and has no effect: staleness is 0, rollouts are sampled in step")
        if self.server and self.engine != "lean":
            raise ValueError(f"server is {self.server!r} and has no effect: engine {self.engine} samples by itself")
        return self


class StageConfig(Frozen):
    """One GRPO stage."""

    n_steps: int = Field(50, ge=1)
    """Optimizer steps."""
    prompts_per_step: int = Field(32, ge=1)
    """Groups a step; at 16 the pocket policy's pass rate jumps by .05 between stages, at 32 it climbs."""
    group_size: int = Field(8, ge=2)
    """Rollouts a group, TRL's `num_generations`."""
    learning_rate: float = Field(1.5e-4, gt=0)
    """Peak rate; constant over the campaign after `warmup_steps`."""
    warmup_steps: int = Field(5, ge=0)
    """Steps of linear warm-up, once a campaign."""
    beta: float = Field(0.0, ge=0)
    """Coefficient of the KL to the reference policy."""
    entropy_coef: float = Field(0.0, ge=0, le=0.2)
    """Coefficient of the entropy bonus; .1 already makes the pocket policy's entropy explode."""
    loss_type: Literal["dapo", "grpo", "bnpo", "dr_grpo", "cispo"] = "dapo"
    """TRL's loss."""
    mask_truncated: bool = False
    """Leave completions that hit `max_tokens` out of the loss."""
    pass_k: int = Field(1, ge=1)
    """Advantages of pass@k (PKPO, leave one out); 1 is pass@1; at most half of `group_size`."""
    num_iterations: int = Field(1, ge=1)
    """Updates on each batch of rollouts, TRL's mu; `epsilon` and `epsilon_high` act only above 1."""
    checkpoint_every: int = Field(10, ge=1)
    """Steps between checkpoints a killed stage resumes from; the last step is always one."""
    threads: int = Field(1, ge=1)
    """Torch threads: two on two busy cores made a small policy 7 times slower than one."""
    reward_timeout_s: float = Field(600.0, gt=0)
    """Seconds that judging and grading one batch may take before the stage fails."""
    trl: dict[str, JsonValue] = Field(default_factory=dict)
    """Further fields of `trl.GRPOConfig`, checked against it before anything starts."""

    @field_validator("trl")
    @classmethod
    def _no_secret(cls, trl: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if "hub_token" in trl:
            raise ValueError("hub_token is a credential and would be stored: set HF_TOKEN in the environment")
        return trl

    @model_validator(mode="after")
    def _possible(self) -> StageConfig:
        if self.pass_k > 1 and self.pass_k > self.group_size // 2:
            raise ValueError(f"pass_k is {self.pass_k}, must be at most group_size / 2 = {self.group_size // 2}")
        for name, value in (("n_steps", self.n_steps), ("checkpoint_every", self.checkpoint_every)):
            if value % self.num_iterations:
                raise ValueError(f"{name} is {value}, must be a multiple of num_iterations = {self.num_iterations}")
        return self


def trl_within_stage(tables: object) -> object:
    """Settings whose table `[trl]` stands where it belongs, in `[stage.trl]`; raises `ValueError` for a field in both.

    >>> trl_within_stage({"trl": {"max_grad_norm": 0.5}, "stage": {"n_steps": 9}})
    {'stage': {'n_steps': 9, 'trl': {'max_grad_norm': 0.5}}}
    """
    if not isinstance(tables, Mapping) or "trl" not in tables:
        return tables
    rest = {name: table for name, table in tables.items() if name != "trl"}
    stage, own = rest.get("stage", {}), tables["trl"]
    stage = dict(stage) if isinstance(stage, StageConfig) else stage
    known = stage.get("trl", {}) if isinstance(stage, Mapping) else None
    if not isinstance(own, Mapping) or not isinstance(known, Mapping):
        return {**rest, "stage": {"trl": own} if not isinstance(own, Mapping) else stage}
    if twice := sorted({*own} & {*known}):
        raise ValueError(f"{', '.join(twice)} stands in [trl] and in [stage.trl], which are one table")
    return {**rest, "stage": {**stage, "trl": {**known, **own}}}


class SftConfig(Frozen):
    """One light supervised stage on verified solutions."""

    n_steps: int = Field(60, ge=1)
    """Optimizer steps at most."""
    batch_size: int = Field(64, ge=1)
    """Solutions a step."""
    learning_rate: float = Field(5e-4, gt=0)
    """Rate after `warmup_steps`."""
    warmup_steps: int = Field(10, ge=0)
    """Steps of linear warm-up."""
    entropy_floor: float = Field(0.1, ge=0)
    """Nats a token; the stage ends with the last checkpoint that was seen above it."""
    entropy_every: int = Field(10, ge=1)
    """Steps between looks, which are also its checkpoints."""
    entropy_tasks: int = Field(32, ge=1)
    """Tasks that a look samples."""
    entropy_samples: int = Field(4, ge=1)
    """Completions a task and look; they count."""


class GuardConfig(Frozen):
    """Collapse detection inside a stage."""

    every: int = Field(10, ge=1)
    """Steps between looks."""
    canary_tasks: int = Field(64, ge=0)
    """Canary tasks a look; 0 turns the canary off."""
    canary_samples: int = Field(4, ge=1)
    """Rollouts a canary task; they count."""
    watch_only: bool = False
    """Record alarms and do nothing."""


class EvaluationConfig(Frozen):
    """The fixed protocol of an evaluation."""

    n_tasks: int = Field(400, ge=1)
    """Held-out tasks at most, the same for every policy of a campaign."""
    n_samples: int = Field(16, ge=1)
    """Rollouts a task."""
    k: int = Field(8, ge=1)
    """k of pass@k."""
    temperature: float = Field(1.0, ge=0)
    """Softmax temperature."""
    max_tokens: int = Field(14, ge=1)
    """Tokens of a completion; of one turn in an agent task."""
    episodes: EpisodeConfig | None = None
    """Budget and grammar of agent tasks; none means the defaults."""
    seed: int = Field(0, ge=0, lt=2**32)
    """Seed of the sampler."""
    groups: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Named groups of families that are reported for themselves."""
    unseen_families: tuple[str, ...] = ()
    """Families that are made and measured, and that no training draws from."""

    @model_validator(mode="after")
    def _enough(self) -> EvaluationConfig:
        if self.k > self.n_samples:
            raise ValueError(f"pass@{self.k} needs at least {self.k} samples a task, n_samples is {self.n_samples}")
        return self


class TrainerConfig(Frozen):
    """Everything the trainer needs to know beside tasks and plan."""

    policy: PolicyConfig = PolicyConfig()
    warm_start: WarmStartConfig = WarmStartConfig()
    sampling: SamplingConfig = SamplingConfig()
    stage: StageConfig = StageConfig()
    sft: SftConfig = SftConfig()
    guard: GuardConfig = GuardConfig()
    graders: StackConfig | None = None
    """Grader stack whose S is the reward; none means the verifier's word alone."""
    referee: ModelConfig | None = None
    """Model that graders of the stack ask; of another lineage than the policy."""
    evaluation: EvaluationConfig = EvaluationConfig()
