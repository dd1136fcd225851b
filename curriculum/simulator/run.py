"""One scheduler in one world: the curve of the held-out pass rate against rollouts, honestly counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from curriculum.schedulers.protocol import Group, Scheduler
from curriculum.schedulers.registry import get
from curriculum.simulator.priors import BATCH, GROUP, STEPS
from curriculum.simulator.world import World
from warehouse.records import JsonValue

FloatArray = npt.NDArray[np.float64]
MAX_ROUNDS = 10
"""Times that a refilling scheduler may sample for one update, as in DAPO's reference code."""
LEAST_REFILL = 16
"""Groups that are sampled at least at each of those times; what is left over once the batch is full is discarded."""


@runtime_checkable
class Oracle(Protocol):
    """A scheduler that must be told every task's true pass rate before it draws."""

    def reveal(self, pass_rates: FloatArray) -> None: ...


class Curve(NamedTuple):
    """Held-out pass rate after each update, the rollouts paid for by then, and the share of mixed groups."""

    rollouts: FloatArray
    score: FloatArray
    mixed: float

    def to_reach(self, target: float) -> float:
        """Rollouts at which the curve first reaches `target`, between updates by a line; infinite if never."""
        above = np.flatnonzero(self.score >= target)
        if len(above) == 0:
            return float("inf")
        i = int(above[0])
        if i == 0:
            return float(self.rollouts[0])
        share = (target - self.score[i - 1]) / (self.score[i] - self.score[i - 1])
        return float(self.rollouts[i - 1] + share * (self.rollouts[i] - self.rollouts[i - 1]))


def run(
    name: str,
    world: World,
    seed: int,
    *,
    config: Mapping[str, JsonValue] | None = None,
    budget: int = BATCH * GROUP * STEPS,
    until: float = float("inf"),
) -> Curve:
    """Train `world` under scheduler `name` until its rollouts reach `budget` or the score reaches `until`.

    Draws are one batch behind: the groups of a step are observed after the next draw. Every sampled rollout
    counts, discards of refilling schedulers too.
    """
    scheduler = get(name)(world.pool, {"group": GROUP, **(config or {})}, seed)
    rng = np.random.default_rng([seed, 77])
    rollouts, scores, mixed, sampled = [0.0], [world.score()], 0, 0
    waiting: list[Group] = []
    step = 0
    while rollouts[-1] < budget and scores[-1] < until:
        groups, positions, signal = _step(scheduler, world, step, rng)
        if waiting:
            scheduler.observe(waiting, step)
        waiting = groups
        world.learn(positions, signal, BATCH)
        mixed += sum(0 < g.c < g.n for g in groups)
        sampled += len(groups)
        rollouts.append(rollouts[-1] + GROUP * len(groups))
        scores.append(world.score())
        step += 1
    return Curve(np.array(rollouts), np.array(scores), mixed / max(sampled, 1))


def _step(
    scheduler: Scheduler, world: World, step: int, rng: np.random.Generator
) -> tuple[list[Group], npt.NDArray[np.int64], FloatArray]:
    """The groups sampled for one update, and which of them it learns from."""
    refills = bool(getattr(scheduler, "refills", False))
    groups: list[Group] = []
    kept: list[npt.NDArray[np.int64]] = []
    signals: list[FloatArray] = []
    n_kept = 0
    for _ in range(MAX_ROUNDS if refills else 1):
        if isinstance(scheduler, Oracle):
            scheduler.reveal(world.pass_rates())
        draws = scheduler.draw(max(LEAST_REFILL, BATCH - n_kept), step)
        positions = np.array([d.position for d in draws], dtype=np.int64)
        outcome = world.sample(positions, GROUP, rng)
        groups += [
            Group(int(i), GROUP, int(c), not d.reason.startswith(("explore", "uniform")))
            for i, c, d in zip(positions, outcome.passes, draws, strict=True)
        ]
        use = np.arange(len(positions))
        if refills:
            use = np.flatnonzero((outcome.passes > 0) & (outcome.passes < GROUP))[: BATCH - n_kept]
        kept.append(positions[use])
        signals.append(outcome.signal[use])
        n_kept += len(use)
        if n_kept >= BATCH:
            break
    return groups, np.concatenate(kept), np.concatenate(signals)
