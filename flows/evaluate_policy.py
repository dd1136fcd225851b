"""A policy measured under a fixed protocol."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.campaign import CampaignConfig
from flows.orchestration import verb_flow
from flows.settings import Settings
from flows.steps.evaluation import all_figures
from flows.work import evaluate_policy as evaluate_step
from flows.workshop import workshop


@verb_flow("evaluate_policy")
def evaluate_policy(home: Path, config: CampaignConfig, policy: str) -> Mapping[str, Mapping[str, Mapping[str, float]]]:
    """Measure `policy` (an id or its start) on the held-out tasks; returns every figure by group of tasks."""
    stored = config.model_dump(mode="json")
    with workshop(Settings(home=home), flow="evaluate_policy", config=stored) as shop:
        return all_figures(shop, evaluate_step(shop, config, policy))
