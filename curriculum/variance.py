"""The variance rank of 1-shot RLVR: which tasks' accuracy moved most over a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np


def scores(history: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Each key's standard deviation of its accuracy history over its whole length, in [0, .5].

    v_i = std(a_i1 .. a_iE), population form (arXiv:2504.20571, section 2, eq. 2). NaN epochs are left out; an
    empty history scores 0.

    >>> scores({"a": [0.0, 1.0], "b": [0.5, 0.5]})
    {'a': 0.5, 'b': 0.0}
    """
    found = {}
    for key, values in history.items():
        x = np.asarray(values, dtype=np.float64)
        x = x[~np.isnan(x)]
        found[key] = float(np.std(x)) if len(x) else 0.0
    return found


def rank(history: Mapping[str, Sequence[float]]) -> list[str]:
    """Keys of `history` by falling historical variance; ties keep the order of the mapping.

    >>> rank({"flat": [0.5, 0.5], "moved": [0.0, 0.9], "some": [0.2, 0.6]})
    ['moved', 'some', 'flat']
    """
    found = scores(history)
    return sorted(found, key=lambda key: found[key], reverse=True)
