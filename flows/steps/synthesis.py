"""Tasks made, examined and committed in batches of at most 256 attempts; a finished batch is not made again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from flows.campaign import CampaignConfig
from flows.progress import Progress
from flows.steps.sources import check_imported
from flows.workshop import Workshop
from synth.ahead import Ahead
from synth.decontaminate import Benchmark
from synth.environments.makers import MAKERS
from synth.family import FAMILIES, Family
from synth.pipeline import BATCH, synthesize
from synth.proposals import Request
from warehouse.errors import UserError
from warehouse.records import JsonValue, Task, content_hash


def requests_for(families: Sequence[str], *, n: int, seed: int, level: int | None = None) -> list[Request]:
    """`n` attempts in each family, spread evenly over its levels (or all at `level`), in pieces of one batch each.

    Raises `UserError` for an unknown family, a level that it does not have, or n < 1.
    """
    if n < 1:
        raise UserError(f"n is {n}, must be at least 1; see: gradatim synth --help")
    return [
        Request(family=name, level=place, n=min(BATCH, share - start), seed=seed, start=start)
        for name in families
        for place, share in _shares(FAMILIES.get(name), n, level)
        for start in range(0, share, BATCH)
    ]


def _shares(family: Family, n: int, level: int | None) -> list[tuple[int, int]]:
    """How many of `n` attempts each level of a family gets; the first levels take the remainder."""
    levels = list(family.levels)
    if level is not None:
        if level not in levels:
            raise UserError(
                f"family '{family.name}' has no level {level}; its levels: {levels[0]} to {levels[-1]}; "
                "see: gradatim synth --list"
            )
        return [(level, n)]
    each, rest = divmod(n, len(levels))
    return [(place, each + (i < rest)) for i, place in enumerate(levels)]


def requests_of(config: CampaignConfig, nonce: str = "") -> list[Request]:
    """What a campaign asks for, agent tasks apart; a forced new campaign asks under another seed."""
    seed = int(content_hash("synthesis", config.seed, nonce)[:8], 16)
    agents = MAKERS.names()
    named = (*config.synthesis.families, *config.evaluation.unseen_families)
    return requests_for([name for name in named if name not in agents], n=config.synthesis.n_per_family, seed=seed)


def make_tasks(
    shop: Workshop, requests: Sequence[Request], *, campaign_id: str, benchmarks: Sequence[str] = ()
) -> Mapping[str, JsonValue]:
    """Make and commit what `requests` ask for; returns the campaign's funnel {"n_in", "n_out", "rejected"}."""
    waiting = [request for request in requests if not shop.seen(_batch(campaign_id, request))]
    with _workers(shop, waiting) as ahead, Progress("synthesise", total=len(waiting)) as progress:
        made = synthesize(
            waiting,
            campaign_id=campaign_id,
            judge=shop.judge,
            known=shop.store.tasks(),
            benchmark=benchmark_of(shop, benchmarks),
            ahead=ahead,
        )
        for request, batch in zip(waiting, made, strict=True):
            shop.commit(batch.records, batch=_batch(campaign_id, request), purpose=f"synthesise {request.family}")
            progress.advance()
    return funnel(shop, campaign_id)


@contextmanager
def _workers(shop: Workshop, waiting: Sequence[Request]) -> Iterator[Callable[[Request], Ahead] | None]:
    """The workers that the settings name, where there are several and more than one batch; none elsewhere."""
    if len(waiting) < 2 or shop.settings.workers == 1:
        yield None
        return
    from flows.spread import spread

    with spread(shop.settings, waiting) as ahead:
        yield ahead


def funnel(shop: Workshop, campaign_id: str) -> Mapping[str, JsonValue]:
    """How many attempts of a campaign went in, how many tasks came out, and why the others did not."""
    own = {"campaign": campaign_id}
    sums = shop.store.rows(
        "SELECT sum(n_in)::INT AS n_in, sum(n_out)::INT AS n_out FROM funnel WHERE campaign_id = $campaign", own
    )
    reasons = shop.store.rows(
        "SELECT reason, sum(n)::INT AS n FROM funnel_reasons WHERE campaign_id = $campaign GROUP BY 1", own
    )
    return {
        "n_in": int(sums[0]["n_in"] or 0),
        "n_out": int(sums[0]["n_out"] or 0),
        "rejected": {str(row["reason"]): int(row["n"]) for row in reasons},
    }


def _batch(campaign_id: str, request: Request) -> str:
    return content_hash(
        "synthesise", campaign_id, request.family, request.level, request.seed, request.start, request.n
    )


def benchmark_of(shop: Workshop, names: Sequence[str]) -> Benchmark | None:
    """The prompts of imported sources that no new task may resemble; raises `UserError` for any other source."""
    if not names:
        return None
    check_imported(shop.store, names)
    items = shop.store.read(Task, "list_contains($sources, source)", {"sources": list(names)})
    return Benchmark([task.prompt for task in items], semantic=shop.embedder, names=[task.task_id for task in items])


def family_table() -> list[Mapping[str, object]]:
    """Every family that can make tasks: its domain, levels and version."""
    return [
        {
            "family": family.name,
            "domain": str(family.domain),
            "levels": f"{min(family.levels)}-{max(family.levels)}",
            "version": family.version,
            "pocket": family.pocket,
        }
        for family in FAMILIES
    ]
