"""Agent tasks made, examined by their own evidence and committed; no campaign trains on them unless it names them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from flows.campaign import CampaignConfig
from flows.progress import Progress
from flows.steps.synthesis import funnel
from flows.workshop import Workshop
from synth.environments import Budget
from synth.environments.makers import MAKERS
from synth.environments.running import Agent, play_all, rollout_of
from synth.novelty import Novelty
from synth.pipeline import BATCH, Admission, admit
from synth.proposals import Request
from warehouse.errors import UserError
from warehouse.records import JsonValue, Policy, content_hash


def agent_requests(names: Sequence[str], *, n: int, seed: int, level: int | None = None) -> list[Request]:
    """`n` attempts in each family of agent tasks, spread evenly over its levels, or all at `level`.

    Raises `UserError` for an unknown family, a level that it does not have, or n < 1.
    """
    if n < 1:
        raise UserError(f"n is {n}, must be at least 1; see: gradatim synth --help")
    made = []
    for name in names:
        levels = list(MAKERS.get(name).levels)
        if level is not None and level not in levels:
            raise UserError(f"'{name}' has no level {level}; its levels: {levels}; see: gradatim synth --list")
        chosen = levels if level is None else [level]
        each, rest = divmod(n, len(chosen))
        for i, place in enumerate(chosen):
            share = each + (i < rest)
            starts = range(0, share, BATCH)
            made += [Request(name, place, min(BATCH, share - start), seed, start) for start in starts]
    return made


def requests_of(config: CampaignConfig, nonce: str = "") -> list[Request]:
    """The agent tasks that a campaign asks for; none where it names no family of them."""
    seed = int(content_hash("synthesis", config.seed, nonce)[:8], 16)
    named = [name for name in config.synthesis.families if name in MAKERS.names()]
    return agent_requests(named, n=config.synthesis.n_per_family, seed=seed)


def agent_tasks(shop: Workshop, requests: Sequence[Request], *, campaign_id: str) -> Mapping[str, JsonValue]:
    """Make and commit what `requests` ask for; returns {"n_in", "n_out", "rejected"}. Done ones are not made again."""
    waiting = [request for request in requests if not shop.seen(_batch(campaign_id, request))]
    novelty = Novelty(shop.store.tasks()) if waiting else Novelty()
    with Progress("agent tasks", total=len(waiting)) as progress:
        for request in waiting:
            maker = MAKERS.get(request.family)
            admission = Admission(campaign_id, shop.judge, novelty, checks=maker.checks(shop.judge.pool))
            made = list(admit(maker.made(request, shop.judge.pool), maker.generator, admission))
            rows = [row for batch in made for row in batch.records]
            shop.commit(rows, batch=_batch(campaign_id, request), purpose=f"synthesise {request.family}")
            progress.advance()
    return funnel(shop, campaign_id)


def evaluate_agent(
    shop: Workshop, name: str, agent: Agent, *, family: str, budget: Budget, n_samples: int = 1
) -> list[Mapping[str, JsonValue]]:
    """Plays every accepted task of a family with a scripted agent, commits the rollouts, and returns `agent_turns`.

    The agent is a policy row of the lineage `script`. Raises `UserError` when the family has no accepted task.
    """
    tasks = [task for task in shop.store.tasks() if task.family == family]
    if not tasks:
        raise UserError(f"no accepted task of '{family}'; see: gradatim synth --family {family}")
    policy = Policy(
        policy_id=content_hash("script", name), name=name, lineage="script", weights_hash="none", path=f"script:{name}"
    )
    owner = content_hash("agent evaluation", policy.policy_id, shop.run)
    played = play_all(
        [task for task in tasks for _ in range(n_samples)], agent, shop.judge.pool, budget=budget, clock=time.monotonic
    )
    rows = [
        rollout_of(one, policy_id=policy.policy_id, owner=owner, slot=i // n_samples, sample=i % n_samples)
        for i, one in enumerate(played)
    ]
    known = shop.store.rows("SELECT 1 AS n FROM policies WHERE policy_id = $policy", {"policy": policy.policy_id})
    shop.commit([*([] if known else [policy]), *rows], batch=owner, purpose=f"play {family} with {name}")
    found: list[Mapping[str, JsonValue]] = shop.store.named("agent_turns", policy=policy.policy_id).to_pylist()
    return found


EPISODE_COLUMNS = ("family", "level", "n", "solve_rate", "cheat_rate", "violation_rate", "out_of_budget_rate",
                   "mean_turns", "refused_rate", "recovery_rate", "p50_latency_s", "p95_latency_s")  # fmt: skip


def episodes_of(shop: Workshop, policy_id: str) -> list[Mapping[str, object]]:
    """How a policy's evaluation episodes went, by family and level; empty for one that was measured on single turns."""
    rows = shop.store.named("agent_turns", policy=policy_id).to_pylist()
    return [{name: row[name] for name in EPISODE_COLUMNS} for row in rows if row["purpose"] == "eval" and row["n"]]


def _batch(campaign_id: str, request: Request) -> str:
    return content_hash("agents", campaign_id, request.family, request.level, request.seed, request.start, request.n)


def agent_families() -> list[Mapping[str, object]]:
    """Every family of agent tasks, as `gradatim synth --list` shows families."""
    return [
        {
            "family": maker.name,
            "domain": "agent",
            "levels": f"{min(maker.levels)}-{max(maker.levels)}",
            "version": maker.version,
            "pocket": False,
        }
        for maker in MAKERS
    ]
