"""Tasks from families: generate, verify, dedupe, commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from flows.orchestration import step, verb_flow
from flows.settings import Settings
from flows.steps import synthesis
from flows.workshop import workshop
from warehouse.records import JsonValue, content_hash

make_tasks = step("synthesise")(synthesis.make_tasks)


@verb_flow("synthesize_tasks")
def synthesize_tasks(
    home: Path, families: list[str], n: int, seed: int = 0, level: int | None = None, unlike: Sequence[str] = ()
) -> Mapping[str, JsonValue]:
    """Make `n` attempts in each family, spread over its levels; returns {"n_in", "n_out", "rejected"}.

    The same request again makes nothing twice.
    """
    asked: dict[str, JsonValue] = {"families": list(families), "n": n, "seed": seed, "level": level}
    asked |= {"unlike": list(unlike)} if unlike else {}
    campaign = content_hash("synthesize_tasks", asked)
    with workshop(Settings(home=home), flow="synthesize_tasks", config=asked, campaign_id=campaign) as shop:
        requests = synthesis.requests_for(families, n=n, seed=seed, level=level)
        return make_tasks(shop, requests, campaign_id=campaign, benchmarks=list(unlike))
