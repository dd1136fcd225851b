"""The looks between stages: which detectors take part, what fires at the newest look, and where to go back to."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from curriculum.actions import Decision, decide
from curriculum.detectors import DETECTORS, Firing, History, Watch
from curriculum.knobs import KNOBS, Settings
from warehouse.records import AlarmLevel, JsonValue

BETWEEN_STAGES = (
    "duplicates", "entropy_fall", "entropy_law", "entropy_surge", "forgetting", "infrastructure", "length",
    "pass_k_loss", "pass_rate_fall", "stock", "zero_variance",
)  # fmt: skip
"""Detectors that look after a stage's evaluation; the others need every step and look inside a stage."""

PERSIST, COOL_DOWN = 2, 1
"""A look stands for thousands of rollouts: two in a row confirm, and a fault that goes on fires at each."""

LEAST = 30
"""A share over fewer groups or rollouts than this is not measured."""

FALLING = ("pass_rate_gap", "pass_rate_fall", "gradient")
NARROWING = ("pass_k_loss", "entropy_fall")
"""A policy that falls is not made bolder: while one of `FALLING` is critical, those of `NARROWING` are not answered."""

TRADED = 0.02
"""pass@1 that going back for the sake of pass@k may cost."""

FIGURES = ("pass@", "entropy", "all_right", "all_wrong", "truncated_rate", "duplicate_rate")
"""Series, by how they begin, whose change one stage later is an action's effect."""


class Seen(NamedTuple):
    """What fired at the newest look, and every detector's standing level there."""

    firings: list[Firing]
    standing: Mapping[str, AlarmLevel]


def see(looks: Mapping[int, Mapping[str, float]]) -> Seen:
    """What the newest of `looks` (series values by stage index; 0 is before the first) raises.

    Earlier looks are replayed, so that persistence and hysteresis are the same whether the campaign was killed or
    not. A missing look or value is a gap; NaN says nothing.
    """
    history, watch = History(), Watch(BETWEEN_STAGES, persist=PERSIST, cool_down=COOL_DOWN)
    firings: list[Firing] = []
    for index in sorted(looks):
        for name, value in looks[index].items():
            history.add(name, index, value)
        firings = watch.see(history, index)
    return Seen(firings, watch.levels())


def respond(
    seen: Seen,
    asked: Sequence[Firing],
    settings: Settings,
    *,
    taken: Sequence[str],
    n_rollbacks: int,
    answered: Collection[str] = (),
) -> list[Decision]:
    """Decisions about what was `seen` between stages and `asked` for by the stage that a guard ended.

    A detector that the guard `answered` within the stage, or asks for now, is not answered twice.
    """
    already = {*answered, *(firing.detector for firing in asked)}
    critical = {firing.detector for firing in (*asked, *seen.firings) if firing.level is AlarmLevel.CRITICAL}
    if critical.intersection(FALLING):
        already.update(NARROWING)
    fresh = [firing for firing in seen.firings if firing.detector not in already]
    standing = {**seen.standing, **{firing.detector: firing.level for firing in asked}}
    return decide([*asked, *fresh], settings, standing=standing, taken=taken, n_rollbacks=n_rollbacks)


CARRIED_OUT = ("quarantine", "synthesise")
"""What a decision may ask for that a campaign does by itself between stages."""


def moves(decision: Decision) -> bool:
    """Whether a decision changes anything that the next stage does; what it only asks of people does not."""
    asked = decision.ask in CARRIED_OUT
    return bool(decision.changes or decision.mixture or decision.rollback or decision.stop or asked)


def settings_after(settings: Settings, after: Mapping[str, JsonValue]) -> Settings:
    """`settings` with the knobs that an action's row holds; what else it holds is left."""
    held = {knob: after[knob] for knob in KNOBS if isinstance(after.get(knob), (int, float))}
    return Settings.model_validate(settings.model_dump() | held)


def healthy_before(index: int, unhealthy: Collection[int], looks: Iterable[int]) -> list[int]:
    """Looks before `index` to go back to, the newest first: those without a critical alarm that is evidence.

    >>> healthy_before(3, {2}, [0, 1, 2, 3])
    [1, 0]
    """
    return sorted((look for look in looks if look < index and look not in unhealthy), reverse=True)


def proven_losses(looks: Mapping[int, Mapping[str, float]]) -> set[int]:
    """Looks that lost what `pass_k_loss` warns of against the best look before them, by an interval that excludes 0.

    >>> lost = {"pass@k_difference": -0.05, "pass@k_high": -0.02}
    >>> proven_losses({1: {**lost, "pass@k_high": 0.01}, 2: lost, 3: {}})
    {2}
    """
    least = DETECTORS.get("pass_k_loss").warn
    return {
        index
        for index, values in looks.items()
        if values.get("pass@k_high", 0.0) < 0 and values.get("pass@k_difference", 0.0) <= -least
    }


def worse_by_pass_rate(looks: Mapping[int, Mapping[str, float]], index: int) -> set[int]:
    """Looks with a pass@1 more than `TRADED` below that of look `index`: going back there would trade one loss for one.

    >>> worse_by_pass_rate({0: {"pass@1": 0.4}, 1: {"pass@1": 0.69}, 2: {"pass@1": 0.7}}, 2)
    {0}
    """
    now = looks.get(index, {}).get("pass@1", -math.inf)
    return {other for other, values in looks.items() if values.get("pass@1", math.inf) < now - TRADED}


def is_evidence(detector: str) -> bool:
    """Whether a critical alarm of `detector` makes a policy unfit to go back to."""
    return DETECTORS.get(detector).evidence


def figures(look: Mapping[str, float]) -> dict[str, float]:
    """The finite values of a look that an action's effect is measured in."""
    return {
        name: value
        for name, value in look.items()
        if name.startswith(FIGURES) and not (name.startswith("pass@") and "_" in name) and value == value
    }
