"""A policy measured under a fixed protocol."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.campaign import CampaignConfig
from flows.orchestration import step, verb_flow
from flows.settings import Settings
from flows.steps import evaluation
from flows.workshop import workshop

measure = step("evaluate")(evaluation.evaluate_policy)


@verb_flow("evaluate_policy")
def evaluate_policy(home: Path, config: CampaignConfig, policy: str) -> Mapping[str, Mapping[str, Mapping[str, float]]]:
    """Measure `policy` (an id or its start) on the held-out tasks; returns every figure by group of tasks."""
    stored = config.model_dump(mode="json")
    with workshop(Settings(home=home), flow="evaluate_policy", config=stored) as shop:
        return evaluation.all_figures(shop, measure(shop, config, policy))
