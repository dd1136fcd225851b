"""Evidence of seen tasks under the ability model, scored at a cost that stays bounded as their number grows."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from curriculum.abilities import N_CLASSES, Abilities
from curriculum.ledger import Ledger
from curriculum.packing import pack, unpack
from curriculum.schedulers.drawing import largest
from curriculum.schedulers.protocol import Pool
from curriculum.signal import expected_signal
from warehouse.records import JsonValue

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

ALWAYS, TURNS = 20_000, 16
"""Rows that are scored at every draw (the best ones), and turns in which the others are."""


class Scores(NamedTuple):
    """Per seen task: `p_mixed`, expected signal `value` and pass rate `rate`.

    Per arm: the first two of a fresh task, and `arm_slope` = E[p(1-p)].
    """

    p_mixed: FloatArray
    value: FloatArray
    rate: FloatArray
    arm_mixed: FloatArray
    arm_value: FloatArray
    arm_slope: FloatArray


class TaskEvidence:
    """Log-likelihoods of the ledger's rows, and what they make of each task now."""

    def __init__(self, pool: Pool, ledger: Ledger, abilities: Abilities, group: int) -> None:
        self._pool, self._ledger, self._abilities, self._group = pool, ledger, abilities, group
        self._loglik = np.zeros((64, N_CLASSES), dtype=np.float32)
        self._kept = np.zeros((3, 64), dtype=np.float32)

    def _fit(self) -> None:
        have, needed = len(self._loglik), self._ledger.size
        if needed > have:
            more = max(needed, 2 * have) - have
            self._loglik = np.concatenate([self._loglik, np.zeros((more, N_CLASSES), dtype=np.float32)])
            self._kept = np.concatenate([self._kept, np.zeros((3, more), dtype=np.float32)], axis=1)

    def add(self, rows: IntArray, n: FloatArray, c: FloatArray, step: int, keep: float) -> None:
        """Fold one step's groups in: abilities first, then the tasks' own evidence, its older part times `keep`."""
        self._fit()
        once = np.unique(rows)
        self._loglik[once] *= np.float32(keep)
        arm = self._pool.arm[self._ledger.ints("position")[rows]]
        np.add.at(self._loglik, rows, self._abilities.observe(arm, self._loglik[rows], n, c, step))
        self._kept[1, once] = 1.0

    def scores(self, turn: int, *, keep: bool = True) -> Scores:
        """Scores of all seen tasks, new for the best `ALWAYS` and one in `TURNS` of the rest.

        The model is refitted by them; with `keep` off the fit and the new scores are for this answer alone.
        """
        self._fit()
        size, abilities = self._ledger.size, self._abilities if keep else copy(self._abilities)
        kept = self._kept if keep else self._kept.copy()
        rows = np.arange(size)
        if size > ALWAYS:
            due = np.zeros(size, dtype=bool)
            due[largest(self._kept[1, :size], ALWAYS)] = due[turn % TURNS :: TURNS] = True
            rows = np.flatnonzero(due)
        arm = self._pool.arm[self._ledger.ints("position")[rows]]
        w = abilities.posterior(arm, self._loglik[rows])
        if size > ALWAYS:
            sample = rows % TURNS == turn % TURNS
            abilities.refit(arm[sample], w[sample], float(TURNS))
        else:
            abilities.refit(arm, w)
        p = abilities.rates()
        value = expected_signal(p, self._group)
        mixed = 1.0 - p**self._group - (1.0 - p) ** self._group
        for i, table in enumerate((mixed, value, p)):
            kept[i, rows] = np.einsum("rk,rk->r", w, table.astype(np.float32)[arm])
        now = kept[:, :size].astype(np.float64)
        fresh = [(abilities.prior * table).sum(axis=1) for table in (mixed, value, p * (1 - p))]
        return Scores(now[0], now[1], now[2], *fresh)

    def state(self) -> dict[str, JsonValue]:
        self._fit()
        size = self._ledger.size
        return {"loglik": pack(self._loglik[:size]), "kept": pack(self._kept[:, :size])}

    def restore(self, state: Mapping[str, JsonValue], rows: IntArray) -> None:
        """Take over the rows of `state` that the ledger kept."""
        loglik, kept = unpack(state["loglik"]), unpack(state["kept"])
        self._loglik = np.zeros((max(64, len(rows)), N_CLASSES), dtype=np.float32)
        self._kept = np.zeros((3, max(64, len(rows))), dtype=np.float32)
        self._loglik[: len(rows)], self._kept[:, : len(rows)] = loglik[rows], kept[:, rows]
