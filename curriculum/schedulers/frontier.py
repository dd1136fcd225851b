"""The default: empirical-Bayes frontier, which draws the tasks whose next group is expected to teach the most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from curriculum.abilities import Abilities
from curriculum.errors import CurriculumError
from curriculum.inventory import Inventory, take_stock
from curriculum.ledger import Ledger
from curriculum.mixture import project
from curriculum.quarantine import due, update
from curriculum.schedulers.by_arm import softmax
from curriculum.schedulers.drawing import filled, sound, stream, top_k, whole
from curriculum.schedulers.frontier_config import FrontierConfig
from curriculum.schedulers.protocol import Draw, Group, Pool
from curriculum.schedulers.registry import require_tasks, scheduler
from curriculum.schedulers.shares import Limits, around, limits, places, within
from curriculum.schedulers.tasks import Scores, TaskEvidence
from curriculum.schedulers.unseen import Unseen
from warehouse.errors import UserError
from warehouse.records import JsonValue

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

LAG = 2
"""A drawn task whose group has not come back after this many steps may be drawn again."""


class _Scored(NamedTuple):
    """What a draw looks at: model scores; what each seen task teaches when new, and now; a fresh task of each arm."""

    by: Scores
    value: FloatArray
    u: FloatArray
    u_arm: FloatArray


@scheduler("frontier")
class Frontier:
    """Scores a task by u = value / (1 + n_informative / reuse), value = E[2 sqrt(r(1-r))] * worth_arm / cost^gamma.

    The expectation is over a posterior of the task's pass rate that knows its arm's moving ability
    (`curriculum.abilities`) and holds the chance that the task is dead or trivial. `worth` is what an arm's practice
    can still move: sum over arms of size * E[p(1-p)] * carry, relative to the best arm's. An arm's
    share of a batch is softmax(v / (arm_temperature * max v)) within its limits, v the mean value of what it would give
    (as in SEC, arXiv:2505.14970, eq. 5, but relative to the best). Its tasks are those of largest u / temperature +
    Gumbel; unseen ones are alike and compete through the largest of their keys. Reasons: frontier, explore, reprobe,
    replay.
    """

    name: str

    def __init__(self, pool: Pool, config: Mapping[str, JsonValue] | None = None, seed: int = 0) -> None:
        require_tasks(pool)
        self.config = FrontierConfig.model_validate(config or {})
        if self.config.weights is not None and not any(map(self.config.weights.get, pool.arms)):
            raise UserError("the plan gives no arm of the pool a weight; see: gradatim plan")
        self._pool, self._seed, self._count, self._refused = pool, seed, 0, 0
        self._ledger = Ledger(len(pool))
        self._abilities = Abilities(pool, self.config.abilities)
        self._tasks = TaskEvidence(pool, self._ledger, self._abilities, self.config.group)
        self._unseen = Unseen(pool, self._ledger, seed)
        self._arm_cost = self._unseen.mean_of(pool.cost)
        self._carry = _carry(pool, self.config.reach, self.config.cross)

    def draw(self, n: int, step: int) -> list[Draw]:
        rng = stream(self._seed, step, self._count)
        self._count += 1
        scored = self._scored(self._count)
        n_explore, n_replay = (int(x) for x in whole(np.array([self.config.explore, self.config.replay]) * n, rng))
        draws = self._explored(n_explore, step, scored, rng)
        draws += self._replayed(n_replay, step, scored, draws, rng)
        draws += self._frontier(n - len(draws), step, scored, draws, rng)
        if len(draws) < n:
            draws += self._leftover(n - len(draws), scored, draws)
        rows = self._ledger.rows(_positions(draws))
        self._ledger.ints("pending")[rows] = 1
        self._ledger.ints("drawn")[rows] = step
        return filled(draws, n)

    def observe(self, groups: Sequence[Group], step: int) -> None:
        kept = sound(groups, len(self._pool))
        self._refused += len(groups) - len(kept)
        if not kept:
            return
        n, c = np.array([g.n for g in kept]), np.array([int(g.c) for g in kept])
        rows = self._ledger.add(np.array([g.position for g in kept], dtype=np.int64), n, c, step)
        self._tasks.add(rows, n.astype(np.float64), c.astype(np.float64), step, self.config.keep)
        update(self._ledger, np.unique(rows), step)

    def inventory(self, step: int, batch: int) -> Inventory:
        """Expected mixed groups left against `batch` groups a step, and the arms whose fresh tasks pay best.

        Nothing is learned from being asked.
        """
        del step
        scored, ledger = self._scored(self._count, keep=False), self._ledger
        worth = scored.by.p_mixed / (1 + ledger.ints("informative") / self.config.reuse)
        worth[ledger.ints("probe_at") >= 0] = 0.0
        arm = self._pool.arm[ledger.ints("position")]
        per_arm = np.bincount(arm, weights=worth, minlength=len(self._pool.arms)).astype(np.float64)
        per_arm = per_arm + scored.by.arm_mixed * self._unseen.left()
        return take_stock(self._pool.arms, per_arm, scored.u_arm, batch, thin_batches=self.config.thin_batches)

    def quarantined(self) -> list[str]:
        """Ids of tasks in quarantine now."""
        rows = np.flatnonzero(self._ledger.ints("probe_at") >= 0)
        return [str(x) for x in self._pool.task_ids[self._ledger.ints("position")[rows]]]

    def state(self) -> JsonValue:
        return {
            "count": self._count,
            "refused": self._refused,
            "ledger": self._ledger.state(self._pool.task_ids),
            "abilities": self._abilities.state(),
            "tasks": self._tasks.state(),
        }

    def restore(self, state: JsonValue) -> None:
        parts = [state.get(k) for k in ("ledger", "abilities", "tasks")] if isinstance(state, Mapping) else []
        if not isinstance(state, Mapping) or not all(isinstance(part, Mapping) for part in parts):
            raise CurriculumError("this is no state of scheduler 'frontier': it has no ledger, abilities and tasks")
        ledger, abilities, tasks = (part for part in parts if isinstance(part, Mapping))
        kept = self._ledger.restore(ledger, self._pool.task_ids)
        self._abilities.restore(abilities)
        self._tasks.restore(tasks, kept)
        self._count, self._refused = int(str(state["count"])), int(str(state["refused"]))
        self._unseen.rewind()

    def _scored(self, turn: int, *, keep: bool = True) -> _Scored:
        config, position = self.config, self._ledger.ints("position")
        by = self._tasks.scores(turn, keep=keep)
        movable = self._carry @ (by.arm_slope * self._unseen.sizes)
        worth = (movable / max(float(movable.max()), 1e-12)) ** config.worth
        u_arm = by.arm_value * worth
        value = by.value * worth[self._pool.arm[position]]
        if config.gamma > 0:
            u_arm = u_arm / self._arm_cost**config.gamma
            value = value / self._pool.cost[position] ** config.gamma
        return _Scored(by, value, value / (1 + self._ledger.ints("informative") / config.reuse), u_arm)

    def _open(self, step: int, taken: Sequence[Draw], size: int) -> npt.NDArray[np.bool_]:
        """Which of the first `size` seen tasks may be drawn: not in quarantine, not under way, not taken."""
        ledger = self._ledger
        waiting = (ledger.ints("pending") > 0) & (ledger.ints("drawn") >= step - LAG)
        free = (ledger.ints("probe_at") < 0) & ~waiting
        if taken:
            free[ledger.rows(_positions(taken))] = False
        return np.asarray(free[:size])

    def _seen(self, rows: IntArray, scored: _Scored, reason: str) -> list[Draw]:
        position = self._ledger.ints("position")
        return [Draw(int(position[i]), float(scored.by.p_mixed[i]), float(scored.u[i]), reason) for i in rows]

    def _fresh(self, arm: int, scored: _Scored, reason: str) -> list[Draw]:
        position = self._unseen.take(arm)
        if position is None:
            return []
        return [Draw(position, float(scored.by.arm_mixed[arm]), float(scored.u_arm[arm]), reason)]

    def _frontier(
        self, n: int, step: int, scored: _Scored, taken: Sequence[Draw], rng: np.random.Generator
    ) -> list[Draw]:
        if n == 0:
            return []
        free = np.flatnonzero(self._open(step, taken, len(scored.u)))
        keys = scored.u[free] / self.config.temperature + rng.gumbel(size=len(free))
        best = self._shortlist(free, keys, n)
        free, keys = free[best], keys[best]
        seen_arm = self._pool.arm[self._ledger.ints("position")[free]].astype(np.int64)
        new_arm, new_keys = self._unseen.candidates(scored.u_arm / self.config.temperature, n, rng)
        arm, key = np.concatenate([seen_arm, new_arm]), np.concatenate([keys, new_keys])
        value = np.concatenate([scored.value[free], scored.u_arm[new_arm]])
        draws: list[Draw] = []
        for j in within(arm, key, n, self._shares(arm, key, value, n), rng):
            if j < len(free):
                draws += self._seen(free[j : j + 1], scored, "frontier")
            else:
                draws += self._fresh(int(arm[j]), scored, "frontier")
        return draws

    def _shortlist(self, free: IntArray, keys: FloatArray, n: int) -> IntArray:
        """The n largest keys of each arm, among seen tasks."""
        width = len(self._pool.arms)
        arm = self._pool.arm[self._ledger.ints("position")[free]].astype(np.min_scalar_type(width))
        by_arm = np.split(np.argsort(arm, kind="stable"), np.cumsum(np.bincount(arm, minlength=width))[:-1])
        return np.concatenate([rows[top_k(keys[rows], n)] for rows in by_arm])

    def _shares(self, arm: IntArray, key: FloatArray, value: FloatArray, n: int) -> Limits:
        """What each arm gets of a batch, from its candidates: `arm`, `key` and `value` [C]."""
        width, own = len(self._pool.arms), self._limits()
        first = places(arm, key) < n
        v = np.bincount(arm[first], value[first], width) / np.maximum(np.bincount(arm[first], minlength=width), 1)
        share = softmax(v / max(float(v.max()), 1e-12), self.config.arm_temperature)
        return Limits(project(share, own.floor, own.cap), own.cap)

    def _limits(self) -> Limits:
        if self.config.weights is not None:
            return around(self._pool.arms, self.config.weights, self.config.slack)
        return limits(self._unseen.sizes > 0, self._abilities.dead(), self.config.floor)

    def _explored(self, n: int, step: int, scored: _Scored, rng: np.random.Generator) -> list[Draw]:
        """Re-probes that are due, then unseen tasks of arms drawn alike, then the tasks longest unobserved."""
        draws = self._seen(due(self._ledger.ints("probe_at"), step)[:n], scored, "reprobe")
        arms = np.flatnonzero(self._unseen.left() > 0)
        if len(arms):
            for arm in rng.choice(arms, size=n - len(draws)):
                draws += self._fresh(int(arm), scored, "explore")
            return draws
        free = np.flatnonzero(self._open(step, draws, len(scored.u)))
        oldest = np.argsort(self._ledger.ints("updated")[free], kind="stable")[: n - len(draws)]
        return draws + self._seen(free[oldest], scored, "explore")

    def _replayed(
        self, n: int, step: int, scored: _Scored, taken: Sequence[Draw], rng: np.random.Generator
    ) -> list[Draw]:
        size = len(scored.u)
        good = self._open(step, taken, size) & (scored.by.rate > self.config.mastered)
        rows = np.flatnonzero(good & (self._ledger.ints("groups")[:size] > 0))
        chosen = rng.choice(rows, size=min(n, len(rows)), replace=False) if len(rows) else rows
        return self._seen(chosen, scored, "replay")

    def _leftover(self, n: int, scored: _Scored, taken: Sequence[Draw]) -> list[Draw]:
        """The best of what quarantine and the lag hold back, when nothing else is left."""
        keys = scored.u.copy()
        rows = self._ledger.rows(_positions(taken))
        keys[rows[rows < len(keys)]] = -np.inf
        return self._seen(top_k(keys, n), scored, "leftover")


def _positions(draws: Sequence[Draw]) -> IntArray:
    return np.array([d.position for d in draws], dtype=np.int64)


def _carry(pool: Pool, reach: float, cross: float) -> FloatArray:
    """How far practice in one arm [row] is taken to reach another: by levels within a family, `cross` between them."""
    level = np.zeros(len(pool.arms))
    np.maximum.at(level, pool.arm, pool.level)
    same = pool.family[:, None] == pool.family[None, :]
    return np.asarray(np.where(same, np.exp(-np.abs(level[:, None] - level[None, :]) / reach), 0.0) + cross)
