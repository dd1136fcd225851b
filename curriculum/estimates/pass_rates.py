"""Unbiased pass@k and majority@k from n samples a task."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from curriculum.errors import CurriculumError

FloatArray = npt.NDArray[np.float64]


@overload
def pass_at_k(n: int, c: int, k: int) -> float: ...
@overload
def pass_at_k(n: npt.ArrayLike, c: npt.ArrayLike, k: int) -> FloatArray: ...


def pass_at_k(n: npt.ArrayLike, c: npt.ArrayLike, k: int) -> float | FloatArray:
    """The chance that at least one of k samples passes: 1 - C(n-c, k) / C(n, k), in [0, 1].

    `n` samples of which `c` passed, scalars or arrays that broadcast; computed as a product of k ratios, so
    nothing overflows. Unbiased (arXiv:2107.03374, eq. 1). NaN where n < k: there is no unbiased estimate.
    Raises `CurriculumError` for k < 1 or c outside [0, n].

    >>> pass_at_k(4, 1, 2)
    0.5
    >>> pass_at_k([4, 1], [2, 1], 2).round(4).tolist()
    [0.8333, nan]
    """
    if k < 1:
        raise CurriculumError(f"pass@k needs k >= 1, got k = {k}")
    n_, c_ = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(c, dtype=np.float64))
    if not bool(np.all((c_ >= 0) & (c_ <= n_))):
        raise CurriculumError("pass@k needs 0 <= c <= n for every task; some counts break that")
    fail = np.ones(n_.shape)
    for i in range(k):
        fail *= np.clip((n_ - c_ - i) / np.where(n_ > i, n_ - i, 1.0), 0.0, None)
    result = np.where(n_ >= k, 1.0 - fail, np.nan)
    return float(result) if result.ndim == 0 else result


def majority_at_k(answers: Sequence[Hashable | None], passed: Sequence[bool], k: int, *, seed: int = 0) -> float:
    """The chance that the most common answer of k samples passes, in [0, 1]; NaN when there are fewer than k.

    `answers[i]` is the extracted answer of sample i (`None` = no answer, never a vote) and `passed[i]` its
    verdict. Ties are broken at random, so a tie counts by its share. Exact when k = n; otherwise the mean over
    2,000 subsets drawn with `seed` (error at most .012 standard). Source: self-consistency, arXiv:2203.11171.

    >>> majority_at_k(["a", "a", "b"], [True, True, False], 3)
    1.0
    >>> majority_at_k(["a", "b"], [True, False], 2)
    0.5
    """
    n = len(answers)
    if len(passed) != n:
        raise CurriculumError(f"majority@k needs one verdict an answer, got {n} answers and {len(passed)} verdicts")
    if k < 1:
        raise CurriculumError(f"majority@k needs k >= 1, got k = {k}")
    if n < k:
        return float("nan")
    right: dict[Hashable, bool] = {}
    for answer, ok in zip(answers, passed, strict=True):
        if answer is not None:
            right[answer] = right.get(answer, False) or ok
    names = list(right)
    if not names:
        return 0.0
    votes = np.array([[answer == name for name in names] for answer in answers], dtype=np.int64)
    correct = np.array([right[name] for name in names], dtype=np.float64)
    if k == n:
        subsets = np.arange(n)[None, :]
    else:
        rng = np.random.default_rng([seed, n, k])
        subsets = np.argsort(rng.random((2000, n)), axis=1)[:, :k]
    counts = votes[subsets].sum(axis=1)
    top = (counts == counts.max(axis=1, keepdims=True)) & (counts > 0)
    share = (top * correct).sum(axis=1) / np.maximum(top.sum(axis=1), 1)
    return float(share.mean())
