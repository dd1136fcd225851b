"""How many tasks to ask for in which arms: more where the policy is weak, groups are mixed, and few attempts pass."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from curriculum.summary import ArmSummary
from warehouse.errors import UserError

LEAST_YIELD = 0.1
"""A yield below this is taken for this: an arm that hardly yields does not swallow the budget."""
EXHAUSTED, TRIED = 0.02, 50
"""An arm that admitted less than this share of at least so many attempts has no new tasks left."""
CAP = 0.5
"""Largest share of one arm, never less than 1 / arms."""

Aim = Literal["weakest", "best"]


class Order(NamedTuple):
    """`n` attempts in one arm, and why it was chosen."""

    arm: str
    n: int
    why: str


class Sized(NamedTuple):
    """What to ask for, the weakest or best arm first; `left`: weak or paying arms left out, and why."""

    orders: tuple[Order, ...]
    left: Mapping[str, str]


def size_orders(
    arms: Sequence[ArmSummary],
    *,
    n_arms: int,
    n: int,
    aim: Aim = "weakest",
    yields: Mapping[str, tuple[int, int]] | None = None,
    makeable: frozenset[str] | None = None,
) -> Sized:
    """`n` attempts over the `n_arms` weakest (lowest pass rate) or best-paying (highest score) arms.

    need = (1 - pass_rate) * p_mixed for the weakest, score for the best; attempts are in proportion to need / yield,
    each arm at least 1 and at most max(CAP, 1 / arms) of `n`, and sum to `n` exactly (largest remainders).
    `yields` holds (admitted, attempted) by arm; none known: 1. Dead arms, those not in `makeable` and exhausted ones
    are left out. Raises `UserError` for n_arms or n below 1, or fewer attempts than arms.
    """
    if n_arms < 1 or n < n_arms:
        raise UserError(
            f"{n} attempts over {n_arms} arms: need at least 1 arm and 1 attempt an arm; see: gradatim synth"
        )
    known = yields or {}
    left: dict[str, str] = {}
    fit: list[ArmSummary] = []
    for arm in sorted(arms, key=lambda a: (a.pass_rate if aim == "weakest" else -a.score, a.arm)):
        if len(fit) == n_arms:
            break
        why = _unfit(arm, known.get(arm.arm, (0, 0)), makeable)
        if why:
            left[arm.arm] = why
        else:
            fit.append(arm)
    shares = _shares([_need(arm, aim) / _yield(known.get(arm.arm, (0, 0))) for arm in fit])
    counts = _whole(shares, n)
    return Sized(tuple(Order(a.arm, k, _why(a)) for a, k in zip(fit, counts, strict=True)), left)


def _unfit(arm: ArmSummary, seen: tuple[int, int], makeable: frozenset[str] | None) -> str:
    admitted, attempted = seen
    if makeable is not None and arm.arm not in makeable:
        return "no family makes its tasks"
    if arm.dead:
        return f"dead: {arm.n} rollouts say pass rate < .05, new tasks would carry no gradient"
    if attempted >= TRIED and admitted < EXHAUSTED * attempted:
        return f"exhausted: {admitted} of {attempted} attempts were admitted"
    return ""


def _need(arm: ArmSummary, aim: Aim) -> float:
    need = (1 - arm.pass_rate) * arm.p_mixed if aim == "weakest" else arm.score
    return max(need, 1e-6) if math.isfinite(need) else 1e-6


def _yield(seen: tuple[int, int]) -> float:
    admitted, attempted = seen
    return max(LEAST_YIELD, admitted / attempted) if attempted else 1.0


def _shares(needs: Sequence[float]) -> list[float]:
    """Shares in proportion to `needs`, none above max(CAP, 1 / len): what is cut off goes to the others."""
    shares = [0.0] * len(needs)
    cap, free, rest = max(CAP, 1 / max(1, len(needs))), set(range(len(needs))), 1.0
    while free:
        total = sum(needs[i] for i in free)
        over = {i for i in free if needs[i] / total * rest > cap + 1e-12}
        if not over:
            for i in free:
                shares[i] = needs[i] / total * rest
            break
        for i in over:
            shares[i] = cap
        free -= over
        rest -= cap * len(over)
    return shares


def _whole(shares: Sequence[float], n: int) -> list[int]:
    """Whole numbers that sum to `n`, each at least 1, nearest to `shares` by largest remainders."""
    if not shares:
        return []
    spare = n - len(shares)
    exact = [spare * share for share in shares]
    counts = [int(value) for value in exact]
    order = sorted(range(len(shares)), key=lambda i: (counts[i] - exact[i], i))
    for i in order[: spare - sum(counts)]:
        counts[i] += 1
    return [count + 1 for count in counts]


def _why(arm: ArmSummary) -> str:
    return f"pass rate {arm.pass_rate:.2f}, chance of a mixed group {arm.p_mixed:.2f} over {arm.n} rollouts"
