"""Tasks where a policy is weakest: which arms, how many attempts in each, and the tasks themselves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from curriculum.requests import Aim, Order, Sized, size_orders
from curriculum.summary import ArmSummary, family_of, summarize
from flows.campaign import CampaignConfig
from flows.progress import Progress
from flows.steps.synthesis import benchmark_of, funnel
from flows.workshop import Workshop
from synth.family import FAMILIES
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Proposal, Request, generator_of, proposals
from synth.tasks import OWN_SOURCE
from warehouse.errors import UserError
from warehouse.records import JsonValue, Split, content_hash

TRIES = 4
"""Places looked at for each attempt wanted: four of five lie in the train split."""


class Round(NamedTuple):
    """One round of synthesis: its identity, what to ask for under which seed, and the arms left out with the reason."""

    campaign_id: str
    seed: int
    sized: Sized


def next_round(
    shop: Workshop,
    config: CampaignConfig,
    policy_id: str,
    *,
    n_arms: int,
    n: int,
    seed: int,
    among: Collection[str] | None = None,
) -> Round:
    """The round that the newest calibration of a policy calls for at its weakest arms, `among` some when given.

    Its identity follows from that calibration, so that a round that was killed is found again, and the next
    calibration opens a new one. Raises `UserError` when the policy was not calibrated or no arm is fit; among some
    arms a round may ask for nothing.
    """
    newest = newest_calibration(shop, policy_id)
    if newest is None:
        raise UserError(f"policy {policy_id} was not calibrated; see: gradatim calibrate --policy {policy_id[:8]}")
    identity = content_hash("weak spots", policy_id, newest, n_arms, n, seed)
    sized = sized_for(shop, config, policy_id, n_arms=n_arms, n=n, besides=identity, among=among)
    if not sized.orders and among is None:
        reasons = "; ".join(f"{arm}: {why}" for arm, why in list(sized.left.items())[:3])
        raise UserError(f"no arm of policy {policy_id} is fit for new tasks ({reasons}); see: gradatim synth --family")
    return Round(identity, seed_of(identity), sized)


def newest_calibration(shop: Workshop, policy_id: str) -> str | None:
    """The batch of a policy's newest calibration; none where it was never calibrated."""
    rows = shop.store.rows(
        "SELECT max_by(batch_id, rowid) AS batch FROM calibrations WHERE policy_id = $id", {"id": policy_id}
    )
    return rows[0]["batch"] if rows else None


def sized_for(
    shop: Workshop,
    config: CampaignConfig,
    policy_id: str,
    *,
    n_arms: int,
    n: int,
    aim: Aim = "weakest",
    besides: str = "none",
    among: Collection[str] | None = None,
) -> Sized:
    """`n` attempts over the policy's `n_arms` weakest or best-paying arms; attempts of `besides` do not count.

    Arms are known by calibration and by the evaluation's rollouts.
    """
    rows = shop.store.named("arm_yield", besides=besides).to_pylist()
    known = _known(shop.store.named("arm_evidence", policy=policy_id).to_pylist(), config)
    arms = [arm for arm in known if among is None or arm.arm in among]
    return size_orders(
        arms,
        n_arms=n_arms,
        n=n,
        aim=aim,
        yields={str(row["arm"]): (int(row["n_admitted"]), int(row["n_attempts"])) for row in rows},
        makeable=frozenset(arm.arm for arm in arms if _makeable(arm.arm)),
    )


def arms_of(shop: Workshop, config: CampaignConfig, policy_id: str) -> list[ArmSummary]:
    """What a policy's newest calibrations say of each arm in the campaign's families and sources."""
    rows = shop.store.rows("SELECT arm, n, c FROM current_calibrations WHERE policy_id = $id", {"id": policy_id})
    return _known(rows, config)


def seed_of(*parts: JsonValue) -> int:
    """A seed that follows from `parts`."""
    return int(content_hash("new tasks", *parts)[:8], 16)


def make_ordered(
    shop: Workshop, orders: Sequence[Order], *, campaign_id: str, seed: int, benchmarks: Sequence[str] = ()
) -> Mapping[str, JsonValue]:
    """Make what `orders` ask for, all of it in the train split and unlike `benchmarks`; returns the funnel.

    Held-out and canary tasks stay as they are: what a policy is measured on does not move under it. An order that is
    done is not done again.
    """
    waiting = [(order, _batch(campaign_id, order, seed)) for order in orders]
    waiting = [(order, batch) for order, batch in waiting if not shop.seen(batch)]
    admission = Admission(campaign_id, shop.judge, Novelty(shop.store.tasks()), benchmark_of(shop, benchmarks))
    with Progress("synthesise", total=len(waiting)) as progress:
        for order, batch in waiting:
            family, level, _ = order.arm.split("/", 2)
            attempts = _trained_on(Request(family, int(level), TRIES * order.n, seed), order.n)
            made = admit(attempts, generator_of(FAMILIES.get(family)), admission)
            rows = [record for part in made for record in part.records]
            shop.commit(rows, batch=batch, purpose=f"synthesise {order.arm}")
            progress.advance(f"{order.arm} {order.n}")
    return funnel(shop, campaign_id)


def told(orders: Iterable[Order]) -> list[JsonValue]:
    """Orders as data."""
    return [{"arm": order.arm, "n": order.n, "why": order.why} for order in orders]


def as_orders(told: JsonValue) -> list[Order]:
    """Orders from stored data."""
    listed = told if isinstance(told, list) else []
    return [Order(str(one["arm"]), int(str(one["n"])), str(one["why"])) for one in listed if isinstance(one, Mapping)]


def _trained_on(request: Request, n: int) -> Iterator[Proposal]:
    """The first `n` attempts of a request whose task lies in the train split."""
    return islice(
        (one for one in proposals(request) if one.subject is None or one.subject.task.split is Split.TRAIN), n
    )


def _known(rows: Sequence[Mapping[str, Any]], config: CampaignConfig) -> list[ArmSummary]:
    """Summaries of the campaign's arms from one row a task."""
    wanted = {*config.synthesis.families, *config.synthesis.sources, *config.written_families}
    own = [row for row in rows if family_of(str(row["arm"])) in wanted]
    counts = [[int(row[key]) for row in own] for key in ("n", "c")]
    return summarize([str(row["arm"]) for row in own], *counts, group=config.stage.group_size)


def _makeable(arm: str) -> bool:
    """Whether one of our own families makes the tasks of an arm named family/level/source."""
    family, level, source = arm.split("/", 2)
    known = {one.name: one for one in FAMILIES}
    return source == OWN_SOURCE and family in known and int(level) in set(known[family].levels)


def _batch(campaign_id: str, order: Order, seed: int) -> str:
    return content_hash("synthesise at", campaign_id, order.arm, order.n, seed)
