"""Tasks from reasoning-gym, and tasks grown from an imported corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from flows.orchestration import step, verb_flow
from flows.settings import Settings
from flows.steps import growing
from flows.workshop import workshop
from warehouse.records import JsonValue, content_hash

make_gym = step("gym")(growing.gym_tasks)
make_grown = step("grow")(growing.grown_tasks)


@verb_flow("synthesize_gym")
def synthesize_gym(
    home: Path, names: list[str], n: int, seed: int = 0, unlike: Sequence[str] = ()
) -> Mapping[str, JsonValue]:
    """`n` attempts from each data set of reasoning-gym; returns {"n_in", "n_out", "rejected"}."""
    asked: dict[str, JsonValue] = {"gym": list(names), "n": n, "seed": seed}
    asked |= {"unlike": list(unlike)} if unlike else {}
    campaign = content_hash("synthesize_gym", asked)
    with workshop(Settings(home=home), flow="synthesize_gym", config=asked, campaign_id=campaign) as shop:
        return make_gym(shop, names, n=n, seed=seed, campaign_id=campaign, benchmarks=list(unlike))


@verb_flow("synthesize_grown")
def synthesize_grown(
    home: Path, source: str, generators: list[str], n: int | None = None, seed: int = 0, unlike: Sequence[str] = ()
) -> Mapping[str, JsonValue]:
    """What can be grown from the accepted tasks of a source, `n` attempts of each generator at most, else all.

    Returns {"n_in", "n_out", "rejected"}.
    """
    asked: dict[str, JsonValue] = {"grown": source, "generators": list(generators), "n": n, "seed": seed}
    asked |= {"unlike": list(unlike)} if unlike else {}
    campaign = content_hash("synthesize_grown", asked)
    with workshop(Settings(home=home), flow="synthesize_grown", config=asked, campaign_id=campaign) as shop:
        return make_grown(
            shop, source, generators=generators, n=n, seed=seed, campaign_id=campaign, benchmarks=list(unlike)
        )
