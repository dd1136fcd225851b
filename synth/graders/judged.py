"""What a judge says of one completion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from warehouse.records import Judgement


@dataclass(frozen=True, slots=True)
class Judged:
    """A judge's word: the judgement, the reward it gives, every part of it and the cheats found.

    `reward` is 1.0 or 0.0, and `None` exactly when the judgement is undecided or infrastructure failed.
    """

    judgement: Judgement
    reward: float | None
    parts: Mapping[str, float] = field(default_factory=dict)
    cheats: tuple[str, ...] = ()
    detail: str = ""


def judged(judgement: Judgement, detail: str = "") -> Judged:
    """A `Judged` by one verifier alone: its part is named `verifier`.

    >>> judged(Judgement.PASS).reward, judged(Judgement.INFRA).reward
    (1.0, None)
    """
    if not judgement.decided:
        return Judged(judgement, None, {}, (), detail)
    reward = 1.0 if judgement is Judgement.PASS else 0.0
    return Judged(judgement, reward, {"verifier": reward}, (), detail)
