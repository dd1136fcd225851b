"""Where a campaign goes on: its configuration under the settings decided so far, the policy, and whether it ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from curriculum.knobs import Settings
from curriculum.tilt import tilted
from flows.campaign import CampaignConfig
from trainer import steerable
from trainer.idle import effective

STAGE = ("learning_rate", "entropy_coef", "beta", "pass_k")
"""Knobs that are fields of `[stage]` by the same name."""


class Course(NamedTuple):
    """How the next stage starts; `fresh`: with a new optimizer. `ended`: why there is no next stage."""

    config: CampaignConfig
    policy: str
    fresh: bool = False
    ended: str | None = None


def outset(config: CampaignConfig, policy: str) -> Course:
    """The course of a campaign's first stage."""
    return Course(steered(config, settings_of(config)), policy)


def settings_of(config: CampaignConfig) -> Settings:
    """The settings that actions may move, as `config` has them."""
    curriculum = config.curriculum
    return steerable.settings_of(
        config.stage, config.sampling, scheduler=curriculum.scheduler, scheduler_config=curriculum.scheduler_config
    )


def steered(config: CampaignConfig, settings: Settings, words: Iterable[tuple[str, str | None]] = ()) -> CampaignConfig:
    """`config` with every setting that differs from its own, and its plans tilted by `words` (word, arm).

    What did not move stays untouched, so that a campaign without actions is trained exactly as configured; a setting
    that an action leaves without effect goes, where a stage would refuse it.
    Under `watch_only` the guard within stages only watches too.
    """
    start = settings_of(config)
    knobs = {name: value for name, value in settings.model_dump().items() if value != getattr(start, name)}
    stage = {name: value for name, value in knobs.items() if name in STAGE}
    names = {"temperature": "temperature", "max_completion_tokens": "max_tokens", "staleness": "staleness"}
    sampling = {field: knobs[name] for name, field in names.items() if name in knobs}
    mixture = config.curriculum.mixture
    for word, arm in words:
        mixture = tilted(mixture, word, arm)
    curriculum: dict[str, object] = {"mixture": mixture}
    if "replay" in knobs:
        curriculum["mixture"] = mixture.model_copy(update={"replay": max(mixture.replay, knobs["replay"])})
        curriculum["scheduler_config"] = config.curriculum.scheduler_config | {"replay": knobs["replay"]}
    guard = {"watch_only": True} if config.watch.watch_only else {}
    own = config.stage.model_copy(update=stage), config.sampling.model_copy(update=sampling)
    moved_stage, moved_sampling = effective(*own) if knobs else own
    return config.model_copy(
        update={
            "stage": moved_stage,
            "sampling": moved_sampling,
            "curriculum": config.curriculum.model_copy(update=curriculum),
            "guard": config.guard.model_copy(update=guard),
        }
    )
