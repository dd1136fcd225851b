"""The arithmetic of reward: S = w_q*Q - w_c*C - w_t*T - w_r*R, and when costs act."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from synth.graders.config import Costs, Weights
from synth.graders.judged import Judged
from warehouse.records import Judgement

TERMS = ("quality", "cost", "time", "risk")


def weighted_mean(scores: Sequence[float], weights: Sequence[float]) -> float:
    """The mean of scores in [0, 1] by weights >= 0; 0 when nothing has weight.

    >>> weighted_mean([1.0, 0.5], [3.0, 1.0])
    0.875
    """
    total = sum(weights)
    return sum(score * weight for score, weight in zip(scores, weights, strict=True)) / total if total > 0 else 0.0


def reward(quality: float, cost: float, time: float, risk: float, weights: Weights, *, costs: float = 1.0) -> float:
    """S of one rollout; `costs` multiplies the cost terms (0 switches them off).

    >>> reward(1.0, 0.5, 0.0, 0.0, Weights(cost=0.2))
    0.9
    """
    spent = weights.cost * cost + weights.time * time + weights.risk * risk
    return weights.quality * quality - costs * spent


def settle(words: Sequence[Judged], groups: Sequence[Hashable], weights: Weights, costs: Costs) -> list[Judged]:
    """The same words with S as their reward, once the groups they belong to are known.

    Under `costs.act = "mixed"` the cost terms act only in groups where some decided rollout passed and another did
    not: in an all-right group every right rollout then has the same S, and no advantage can come from being short.
    A cheat keeps reward 0; what could not be judged keeps `None`. `groups[i]` names the group of `words[i]`.
    """
    verdicts: dict[Hashable, set[bool]] = defaultdict(set)
    for word, group in zip(words, groups, strict=True):
        if word.reward is not None and word.judgement is not Judgement.CHEAT:
            verdicts[group].add(word.judgement is Judgement.PASS)
    factor = 1.0 / costs.scale if costs.act == "scaled" else 1.0
    return [
        _settled(word, weights, factor if costs.act == "scaled" or len(verdicts[group]) == 2 else 0.0)
        for word, group in zip(words, groups, strict=True)
    ]


def _settled(word: Judged, weights: Weights, costs: float) -> Judged:
    if word.reward is None or word.judgement is Judgement.CHEAT:
        return word
    quality, cost, time, risk = (word.parts.get(f"S/{term}", 0.0) for term in TERMS)
    value = reward(quality, cost, time, risk, weights, costs=costs)
    return Judged(word.judgement, value, {**word.parts, "S": value, "S/costs": costs}, word.cheats, word.detail)
