"""Agent tasks from environments: made, run, examined, committed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.orchestration import step, verb_flow
from flows.settings import Settings
from flows.steps import agents
from flows.workshop import workshop
from warehouse.records import JsonValue, content_hash

make_agents = step("agent tasks")(agents.agent_tasks)


@verb_flow("synthesize_agents")
def synthesize_agents(
    home: Path, families: list[str], n: int, seed: int = 0, level: int | None = None
) -> Mapping[str, JsonValue]:
    """Make `n` attempts in each family of agent tasks; returns {"n_in", "n_out", "rejected"}.

    The same request again makes nothing twice.
    """
    asked: dict[str, JsonValue] = {"agents": list(families), "n": n, "seed": seed, "level": level}
    campaign = content_hash("synthesize_agents", asked)
    with workshop(Settings(home=home), flow="synthesize_agents", config=asked, campaign_id=campaign) as shop:
        return make_agents(shop, agents.agent_requests(families, n=n, seed=seed, level=level), campaign_id=campaign)
