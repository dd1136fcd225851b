"""How much of a batch its importance weights leave: effective sample size and masked share."""

from __future__ import annotations

import torch


def sample_shares(log_ratios: torch.Tensor, mask: torch.Tensor) -> tuple[float, float]:
    """(ESS / n, masked share) of n completions, from per-token log importance ratios [n, T or 1]; both in [0, 1].

    w_i = exp(sum over the completion's tokens), ESS = (sum w)^2 / sum w^2. A completion that a correction zeroed
    (a ratio of 0, log -inf) counts as masked and weighs nothing. Completions without tokens take no part; nothing
    left is (nan, nan).

    >>> sample_shares(torch.zeros(4, 3), torch.ones(4, 3))
    (1.0, 0.0)
    """
    present = mask.bool().any(1)
    if not bool(present.any()):
        return float("nan"), float("nan")
    counted = mask.bool() if log_ratios.shape[1] == mask.shape[1] else mask.bool().any(1, keepdim=True)
    weights = log_ratios.double().masked_fill(~counted, 0.0).sum(1)[present].exp()
    squares = (weights**2).sum()
    effective = float(weights.sum() ** 2 / squares / len(weights)) if float(squares) > 0 else 0.0
    return effective, float((weights == 0).double().mean())
