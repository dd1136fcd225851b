"""The plain empirical-Bayes frontier: Beta posteriors, arm priors by moments, chance of a mixed group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from curriculum.arms import Arms
from curriculum.inventory import Inventory, take_stock
from curriculum.ledger import Ledger
from curriculum.posterior import LEAST, deviation, p_mixed
from curriculum.quarantine import due, update
from curriculum.schedulers.beta_config import BetaConfig
from curriculum.schedulers.drawing import filled, sound, stream, top_k, whole
from curriculum.schedulers.protocol import Draw, Group, Pool
from curriculum.schedulers.registry import require_tasks, scheduler
from curriculum.schedulers.shares import Limits, around, limits, within
from curriculum.schedulers.unseen import Unseen
from warehouse.records import JsonValue

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

LAG = 2
"""A drawn task whose group has not come back after this many steps may be drawn again."""


@scheduler("beta_frontier")
class BetaFrontier:
    """Scores every task by u = P(mixed) * 2 sqrt(E p(1-p)) / (1 + n_informative / reuse) / cost^gamma.

    P(mixed) comes from a discounted Beta posterior a task, pooled by an empirical-Bayes prior an arm. Unseen
    tasks of one arm are alike and compete through the largest of their Gumbel keys, so that a draw costs what
    the seen tasks cost, whatever the pool's size. Reasons: `frontier`, `explore`, `reprobe`, `replay`.
    """

    name: str

    def __init__(self, pool: Pool, config: Mapping[str, JsonValue] | None = None, seed: int = 0) -> None:
        require_tasks(pool)
        self.config = BetaConfig.model_validate(config or {})
        self._pool, self._seed, self._count, self._refused = pool, seed, 0, 0
        self._ledger = Ledger(len(pool))
        self._arms = Arms(pool.arms, pool.family, self.config.arm_decay)
        self._unseen = Unseen(pool, self._ledger, seed)
        self._arm_cost = self._unseen.mean_of(pool.cost)

    def posteriors(self, step: int) -> tuple[FloatArray, FloatArray]:
        """A and B of every seen task, in the ledger's order: discounted evidence plus the arm's prior."""
        ledger, prior = self._ledger, self._arms.prior(self.config.strength)
        arm = self._pool.arm[ledger.ints("position")]
        decay = self.config.lam ** np.maximum(step - ledger.ints("updated"), 0)
        a = ledger.floats("passes") * decay + (prior.kappa * prior.mu)[arm]
        b = ledger.floats("fails") * decay + (prior.kappa * (1 - prior.mu))[arm]
        return np.maximum(a, LEAST), np.maximum(b, LEAST)

    def draw(self, n: int, step: int) -> list[Draw]:
        rng = stream(self._seed, step, self._count)
        self._count += 1
        scored = self._scored(step)
        n_explore, n_replay = (int(x) for x in whole(np.array([self.config.explore, self.config.replay]) * n, rng))
        draws = self._explored(n_explore, step, scored, rng)
        taken = np.array([d.position for d in draws], dtype=np.int64)
        draws += self._replayed(n_replay, step, scored, taken, rng)
        taken = np.array([d.position for d in draws], dtype=np.int64)
        draws += self._frontier(n - len(draws), step, scored, taken, rng)
        if len(draws) < n:
            draws += self._leftover(n - len(draws), scored, draws)
        rows = self._ledger.rows(np.array([d.position for d in draws], dtype=np.int64))
        self._ledger.ints("pending")[rows] = 1
        self._ledger.ints("drawn")[rows] = step
        return filled(draws, n)

    def observe(self, groups: Sequence[Group], step: int) -> None:
        kept = sound(groups, len(self._pool))
        self._refused += len(groups) - len(kept)
        if not kept:
            return
        position = np.array([g.position for g in kept], dtype=np.int64)
        n, c = np.array([g.n for g in kept]), np.array([int(g.c) for g in kept])
        first = self._ledger.ints("groups")[self._ledger.rows(position)] == 0
        selected = np.array([g.selected for g in kept]) & ~first
        self._arms.add(self._pool.arm[position], n.astype(np.float64), c.astype(np.float64), selected, step)
        rows = np.unique(self._ledger.add(position, n, c, step, self.config.lam, self.config.rho))
        update(self._ledger, rows, step)

    def inventory(self, step: int, batch: int) -> Inventory:
        """Expected mixed groups left against `batch` groups a step, and the arms that pay best."""
        p, _, p_arm, u_arm = self._scored(step)
        ledger = self._ledger
        open_rows = ledger.ints("probe_at") < 0
        worth = np.where(open_rows, p / (1 + ledger.ints("informative") / self.config.reuse), 0.0)
        arm = self._pool.arm[ledger.ints("position")]
        per_arm = np.bincount(arm, weights=worth, minlength=len(p_arm)) + p_arm * self._unseen.left()
        return take_stock(self._pool.arms, per_arm, u_arm, batch, thin_batches=self.config.thin_batches)

    def quarantined(self) -> list[str]:
        """Ids of tasks in quarantine now."""
        rows = np.flatnonzero(self._ledger.ints("probe_at") >= 0)
        return [str(x) for x in self._pool.task_ids[self._ledger.ints("position")[rows]]]

    def state(self) -> JsonValue:
        ledger = self._ledger.state(self._pool.task_ids)
        return {"count": self._count, "refused": self._refused, "ledger": ledger, "arms": self._arms.state()}

    def restore(self, state: JsonValue) -> None:
        if not isinstance(state, Mapping):
            raise TypeError("a scheduler's state is a JSON object")
        ledger, arms = state["ledger"], state["arms"]
        if isinstance(ledger, Mapping) and isinstance(arms, Mapping):
            self._ledger.restore(ledger, self._pool.task_ids)
            self._arms.restore(arms)
        self._count, self._refused = int(str(state["count"])), int(str(state["refused"]))
        self._unseen.rewind()

    def _scored(self, step: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """P(mixed) and score of every seen task, then of a fresh task of every arm."""
        config, ledger = self.config, self._ledger
        a, b = self.posteriors(step)
        p = p_mixed(a, b, config.group)
        cost = self._pool.cost[ledger.ints("position")] ** config.gamma
        u = p * deviation(a, b) / (1 + ledger.ints("informative") / config.reuse) / cost
        prior = self._arms.prior(config.strength)
        a, b = np.maximum(prior.kappa * prior.mu, LEAST), np.maximum(prior.kappa * (1 - prior.mu), LEAST)
        p_arm = p_mixed(a, b, config.group)
        return p, u, p_arm, p_arm * deviation(a, b) / self._arm_cost**config.gamma

    def _open(self, step: int, taken: IntArray) -> npt.NDArray[np.bool_]:
        """Seen tasks that may be drawn now: not in quarantine, not under way, not taken."""
        ledger = self._ledger
        waiting = (ledger.ints("pending") > 0) & (ledger.ints("drawn") >= step - LAG)
        free = (ledger.ints("probe_at") < 0) & ~waiting
        if len(taken):
            free[ledger.rows(taken)] = False
        return free

    def _frontier(
        self, n: int, step: int, scored: tuple[FloatArray, ...], taken: IntArray, rng: np.random.Generator
    ) -> list[Draw]:
        p, u, p_arm, u_arm = scored
        config, position = self.config, self._ledger.ints("position")
        free = np.flatnonzero(self._open(step, taken)[: len(p)])
        keys = u[free] / config.temperature + rng.gumbel(size=len(free))
        seen_arm = self._pool.arm[position[free]].astype(np.int64)
        new_arm, new_keys = self._unseen.candidates(u_arm / config.temperature, n, rng)
        arm, key = np.concatenate([seen_arm, new_arm]), np.concatenate([keys, new_keys])
        draws: list[Draw] = []
        for j in within(arm, key, n, self._limits(), rng):
            if j < len(free):
                row = int(free[j])
                draws.append(Draw(int(position[row]), float(p[row]), float(u[row]), "frontier"))
            elif (fresh := self._unseen.take(int(arm[j]))) is not None:
                draws.append(Draw(fresh, float(p_arm[arm[j]]), float(u_arm[arm[j]]), "frontier"))
        return draws

    def _limits(self) -> Limits:
        if self.config.weights is not None:
            return around(self._pool.arms, self.config.weights, self.config.slack)
        return limits(self._unseen.sizes > 0, self._arms.dead())

    def _explored(self, n: int, step: int, scored: tuple[FloatArray, ...], rng: np.random.Generator) -> list[Draw]:
        """Re-probes that are due, then unseen tasks of arms drawn alike, then the tasks longest unobserved."""
        p, u, p_arm, u_arm = scored
        ledger = self._ledger
        rows = due(ledger.ints("probe_at"), step)[:n]
        draws = [Draw(int(ledger.ints("position")[i]), float(p[i]), float(u[i]), "reprobe") for i in rows]
        arms = np.flatnonzero(self._unseen.left() > 0)
        if len(arms):
            for arm in rng.choice(arms, size=n - len(draws)):
                fresh = self._unseen.take(int(arm))
                if fresh is not None:
                    draws.append(Draw(fresh, float(p_arm[arm]), float(u_arm[arm]), "explore"))
            return draws
        free = np.flatnonzero(self._open(step, np.zeros(0, dtype=np.int64))[: len(p)])
        oldest = free[np.argsort(ledger.ints("updated")[free], kind="stable")[: n - len(draws)]]
        return draws + [Draw(int(ledger.ints("position")[i]), float(p[i]), float(u[i]), "explore") for i in oldest]

    def _replayed(
        self, n: int, step: int, scored: tuple[FloatArray, ...], taken: IntArray, rng: np.random.Generator
    ) -> list[Draw]:
        p, u, _, _ = scored
        a, b = self.posteriors(step)
        size = len(p)
        good = self._open(step, taken)[:size] & ((a / (a + b))[:size] > self.config.mastered)
        good &= self._ledger.ints("groups")[:size] > 0
        rows = np.flatnonzero(good)
        chosen = rng.choice(rows, size=min(n, len(rows)), replace=False) if len(rows) else rows
        return [Draw(int(self._ledger.ints("position")[i]), float(p[i]), float(u[i]), "replay") for i in chosen]

    def _leftover(self, n: int, scored: tuple[FloatArray, ...], draws: Sequence[Draw]) -> list[Draw]:
        """The best of what quarantine and the lag hold back, when nothing else is left."""
        p, u, _, _ = scored
        keys = u.copy()
        rows = self._ledger.rows(np.array([d.position for d in draws], dtype=np.int64))
        keys[rows[rows < len(keys)]] = -np.inf
        position = self._ledger.ints("position")
        return [Draw(int(position[i]), float(p[i]), float(u[i]), "leftover") for i in top_k(keys, n)]
