"""Quarantine of tasks that never pass, never for good: each is probed again after 50 * 2^j steps."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from curriculum.ledger import Ledger
from curriculum.posterior import p_above

IntArray = npt.NDArray[np.int64]

FIRST_WAIT = 50
"""Steps until the first re-probe; each failed one doubles the wait."""
LIVE_ABOVE, CERTAINTY, LEAST_VERSIONS = 0.05, 0.05, 2


def is_dead(n: npt.ArrayLike, c: npt.ArrayLike, versions: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """P(p > .05) < .05 under Beta(.5, .5) on undiscounted counts, over at least two policy versions.

    >>> bool(is_dead(40, 0, 2)), bool(is_dead(40, 0, 1)), bool(is_dead(40, 1, 5))
    (True, False, False)
    """
    passes = np.asarray(c, dtype=np.float64)
    certain = p_above(passes, np.asarray(n, dtype=np.float64) - passes, LIVE_ABOVE) < CERTAINTY
    return np.asarray(certain & (np.asarray(versions) >= LEAST_VERSIONS))


def next_probe(step: int, probes: npt.ArrayLike) -> IntArray:
    """The step of the next re-probe after `probes` failed ones: step + 50 * 2^j (j at most 20).

    >>> next_probe(100, [0, 1, 2]).tolist()
    [150, 200, 300]
    """
    j = np.minimum(np.asarray(probes, dtype=np.int64), 20)
    return np.asarray(step + FIRST_WAIT * 2**j, dtype=np.int64)


def due(probe_at: IntArray, step: int) -> IntArray:
    """Rows whose re-probe is due, the longest waiting first."""
    rows = np.flatnonzero((probe_at >= 0) & (probe_at <= step))
    return rows[np.argsort(probe_at[rows], kind="stable")]


def update(ledger: Ledger, rows: IntArray, step: int) -> None:
    """Put newly dead tasks of `rows` into quarantine, wait longer after a failed re-probe, free those that live."""
    probe_at, probes = ledger.ints("probe_at"), ledger.ints("probes")
    dead = is_dead(ledger.ints("n")[rows], ledger.ints("c")[rows], ledger.ints("versions")[rows])
    failed = rows[dead & (probe_at[rows] >= 0) & (probe_at[rows] <= step)]
    probes[failed] += 1
    moved = np.concatenate([failed, rows[dead & (probe_at[rows] < 0)]])
    probe_at[moved] = next_probe(step, probes[moved])
    probe_at[rows[~dead]] = -1
