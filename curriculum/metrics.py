"""The metric matrix of an evaluation: what is measured of a policy, one value a task, and what is a quantile."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from curriculum.estimates import majority_at_k, pass_at_k
from warehouse.records import FinishReason, Judgement, Rollout

FloatArray = npt.NDArray[np.float64]

RATES: Mapping[str, Callable[[Rollout], bool]] = {
    "truncated_rate": lambda row: row.finish_reason is FinishReason.LENGTH,
    "no_answer_rate": lambda row: row.judgement is Judgement.NO_ANSWER,
    "cheat_rate": lambda row: bool(row.cheats) or row.judgement is Judgement.CHEAT,
    "violation_rate": lambda row: row.judgement is Judgement.VIOLATION,
    "undecided_rate": lambda row: row.judgement is Judgement.UNDECIDED,
    "infra_rate": lambda row: row.judgement is Judgement.INFRA,
}
"""Shares of all samples, whatever was decided about them."""

QUANTILES = {"tokens_p50": 0.5, "tokens_p95": 0.95, "latency_p50_s": 0.5, "latency_p95_s": 0.95}
"""Quantiles over the samples of all tasks; latency is that of the batch a sample was drawn in."""

HEADLINE = ("entropy", "tokens")
"""What is measured for every family and level beside pass@1 and pass@k; the rest is for larger groups."""


def bounded(metric: str) -> bool:
    """Whether a metric's values lie in [0, 1]."""
    return metric.startswith(("pass@", "majority@")) or metric in RATES


def per_task(groups: Sequence[Sequence[Rollout]], ks: Sequence[int]) -> dict[str, FloatArray]:
    """One value a task for every metric that is a mean over tasks; `groups` holds each task's samples, all alike many.

    pass@k for every k of `ks` over decided samples, NaN where fewer than k were decided; majority of all samples by
    what they wrote (code has none: programs do not vote); entropy in nats a token; `reward` is S, decided samples only.
    """
    decided = np.array([sum(row.judgement.decided for row in group) for group in groups])
    passed = np.array([sum(row.judgement is Judgement.PASS for row in group) for group in groups])
    found: dict[str, FloatArray] = {f"pass@{k}": pass_at_k(decided, passed, k) for k in sorted(set(ks))}
    size = len(groups[0]) if groups else 0
    found[f"majority@{size}"] = np.array([_majority(group) for group in groups])
    found["entropy"] = np.array([_mean([row.mean_entropy for row in group]) for group in groups])
    found["tokens"] = np.array([_mean([float(row.n_tokens) for row in group]) for group in groups])
    found["reward"] = np.array([_mean([row.reward for row in group]) for group in groups])
    for name, is_so in RATES.items():
        found[name] = np.array([_mean([float(is_so(row)) for row in group]) for group in groups])
    return found


def per_sample(groups: Sequence[Sequence[Rollout]], metric: str) -> FloatArray:
    """The values [tasks, samples] that a metric of `QUANTILES` is a quantile of."""
    if metric.startswith("tokens"):
        return np.array([[float(row.n_tokens) for row in group] for group in groups])
    return np.array([[row.latency_s for row in group] for group in groups])


def _majority(group: Sequence[Rollout]) -> float:
    votes = [row for row in group if row.judgement.decided and "tests_passed" not in row.parts]
    if not votes:
        return math.nan
    answers = [None if row.judgement is Judgement.NO_ANSWER else row.completion.strip() for row in votes]
    return majority_at_k(answers, [row.judgement is Judgement.PASS for row in votes], len(votes))


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else math.nan
