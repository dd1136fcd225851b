"""Advantages that reward pass@k instead of pass@1."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt


def pass_k_advantages(rewards: npt.NDArray[np.float64], k: int) -> npt.NDArray[np.float64]:
    """Leave-one-out advantages of max-of-k, [groups, G] from rewards of the same shape, 1 <= k <= G / 2.

    A_i = mean over k-subsets S with i of max(S) - mean over k-subsets S without i of max(S)
    (PKPO, arXiv 2505.15201, with the leave-one-out baseline). k = 1 is reward minus the others' mean.
    NaN rewards (undecided) take no part and get 0; a group with at most k decided rewards gets 0 throughout.

    >>> pass_k_advantages(np.array([[1.0, 0.0, 0.0, 0.0]]), 2).round(3).tolist()
    [[1.0, -0.333, -0.333, -0.333]]
    """
    out = np.zeros_like(rewards)
    for row, group in enumerate(rewards):
        decided = np.flatnonzero(~np.isnan(group))
        if len(decided) <= k:
            continue
        subsets = np.array(list(combinations(range(len(decided)), k)))
        best = group[decided][subsets].max(axis=1)
        member = np.zeros((len(decided), len(subsets)), dtype=bool)
        member[subsets.T, np.arange(len(subsets))] = True
        inside = member @ best / member.sum(1)
        outside = ~member @ best / (~member).sum(1)
        out[row, decided] = inside - outside
    return out
