"""A policy measured under a fixed protocol."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.campaign import CampaignConfig
from flows.orchestration import GPU, step, verb_flow
from flows.settings import at_home
from flows.steps import evaluation
from flows.steps.current import current
from flows.workshop import workshop

measure = step("evaluate", shares=GPU)(evaluation.evaluate_policy)


@verb_flow("evaluate_policy")
def evaluate_policy(
    home: Path | None = None,
    config: CampaignConfig | None = None,
    policy: str | None = None,
    like: str | None = None,
) -> Mapping[str, Mapping[str, Mapping[str, float]]]:
    """Measure `policy` (an id or its start; the newest) on the held-out tasks; returns every figure by group of tasks.

    Without `config` the tasks and the protocol are the newest campaign's; with `like` those of another policy's
    newest evaluation.
    """
    stored = config.model_dump(mode="json") if config else {}
    with workshop(at_home(home), flow="evaluate_policy", config=stored) as shop:
        settings, policy_id = current(shop, config, policy)
        return evaluation.all_figures(shop, measure(shop, settings, policy_id, like=like))
