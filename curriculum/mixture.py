"""A plan: how much of the next stage each arm gets, and how that differs from the last plan."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from curriculum.summary import ArmSummary
from warehouse.errors import UserError
from warehouse.records import JsonValue, Mixture, content_hash

FloatArray = npt.NDArray[np.float64]


NO_ARMS = "a plan needs at least 1 arm, got 0; see: gradatim sql 'select * from current_tasks'"


class MixtureConfig(BaseModel):
    """Settings of a plan."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    floor: float = Field(0.02, ge=0, le=0.2)
    """Least weight of an arm that is alive; never more than .2 / n_active. Dead arms have none."""
    arm_floors: Mapping[str, float] = Field(default_factory=dict)
    """Least weight of single arms, beyond `floor`; together at most .3."""
    cap: float = Field(0.5, gt=0, le=1)
    """Largest weight of an arm; never less than 2 / n_active."""
    kl: float = Field(0.35, ge=0)
    """Largest KL(new || old) over the arms of both plans, in nats."""
    explore: float = Field(0.05, ge=0, le=0.5)
    """Weight spread evenly over all arms, dead ones included."""
    replay: float = Field(0.05, ge=0, le=0.5)
    """Weight spread over mastered arms."""
    mastered: float = Field(0.9, gt=0.5, lt=1)
    """Mean pass rate above which an arm is mastered."""
    sharpness: float = Field(1.0, ge=0)
    """Power of the score that weights follow; 0 is uniform over live arms."""


class Plan(BaseModel):
    """Weights an arm with what bounds them; the same content has the same `plan_id`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    snapshot_id: int
    """Warehouse snapshot that the evidence was read at."""
    policy_id: str
    """Policy that the evidence is about."""
    scheduler: str = "frontier"
    """Scheduler that draws within the stage."""
    config: MixtureConfig = MixtureConfig()
    """Settings that it was made with."""
    weights: Mapping[str, float]
    """Weight an arm; sums to 1."""
    diff: Mapping[str, Mapping[str, JsonValue]] = {}
    """Arms that moved by .005 or more: before, after, why; the first plan lists all from 0."""
    kl: float = 0.0
    """KL(new || old) over the arms of both plans, in nats."""
    previous: str | None = None
    """The plan before."""
    notes: tuple[str, ...] = ()
    """Fallbacks taken; each is stored as an action."""

    @property
    def plan_id(self) -> str:
        """Content identity of the plan."""
        return content_hash("plan", self.model_dump(mode="json"))

    def record(self, *, campaign_id: str, stage_index: int) -> Mixture:
        """The plan as a row of `mixtures`."""
        return Mixture(
            mixture_id=self.plan_id,
            campaign_id=campaign_id,
            stage_index=stage_index,
            policy_id=self.policy_id,
            snapshot_id=self.snapshot_id,
            scheduler=self.scheduler,
            config_hash=content_hash(self.config.model_dump(mode="json")),
            weights=dict(self.weights),
            previous=self.previous,
            diff={arm: dict(change) for arm, change in self.diff.items()},
            kl=self.kl,
        )


def plan(
    arms: Sequence[ArmSummary],
    *,
    policy_id: str,
    snapshot_id: int,
    previous: Plan | None = None,
    scheduler: str = "frontier",
    config: MixtureConfig | None = None,
) -> Plan:
    """The next plan: weights follow each arm's score within floors, caps and the trust region around `previous`.

    target = (1 - explore - replay) * score^sharpness + explore * even + replay * mastered, each normalised;
    then the point of the line from the old weights to it that keeps KL(new || old) <= kl over arms of both.
    The first plan is free. No live arm, or only mastered ones: an even plan and a note. NaN scores count as 0.
    Raises `UserError` when there are no arms.
    """
    config = config or MixtureConfig()
    if not arms:
        raise UserError(NO_ARMS)
    names = [a.arm for a in arms]
    wanted, notes = _target(arms, config)
    floor, cap = bounds(arms, config)
    weights = free = project(wanted, floor, cap)
    kl = 0.0
    if previous is not None:
        old = np.array([previous.weights.get(name, 0.0) for name in names])
        if math.isclose(float(old.sum()), 0.0):
            notes.append("no arm of the last plan is left: the plan starts afresh")
        else:
            weights, kl = toward(old, weights, project(np.where(old > 0, old, wanted), floor, cap), config.kl)
            if kl > config.kl * (1 + 1e-9):
                notes.append(f"floors and caps need KL {kl:.3f}, above the trust region {config.kl:g}")
    return Plan(
        snapshot_id=snapshot_id,
        policy_id=policy_id,
        scheduler=scheduler,
        config=config,
        weights={name: float(w) for name, w in zip(names, weights, strict=True)},
        diff=_diff(
            weights,
            previous,
            {a.arm: _why(a, config, w, f) for a, w, f in zip(arms, weights.tolist(), free.tolist(), strict=True)},
        ),
        kl=kl,
        previous=previous.plan_id if previous else None,
        notes=tuple(notes),
    )


def unplanned(
    arms: Sequence[ArmSummary],
    *,
    policy_id: str,
    snapshot_id: int,
    scheduler: str,
    previous: Plan | None = None,
    config: MixtureConfig | None = None,
) -> Plan:
    """What a scheduler draws from that follows no plan: each arm's share of the pool's tasks.

    Raises `UserError` when there are no arms.
    """
    if not arms:
        raise UserError(NO_ARMS)
    size = np.array([float(a.n_tasks) for a in arms])
    weights = size / size.sum()
    old = np.array([previous.weights.get(a.arm, 0.0) if previous else 0.0 for a in arms])
    why = f"{scheduler} draws without a plan: the arm's share of the pool"
    return Plan(
        snapshot_id=snapshot_id,
        policy_id=policy_id,
        scheduler=scheduler,
        config=config or MixtureConfig(),
        weights={a.arm: float(w) for a, w in zip(arms, weights, strict=True)},
        diff=_diff(weights, previous, {a.arm: why for a in arms}),
        kl=divergence(weights, old),
        previous=previous.plan_id if previous else None,
    )


def bounds(arms: Sequence[ArmSummary], config: MixtureConfig) -> tuple[FloatArray, FloatArray]:
    """Floor min(floor, .2 / n_active) or the arm's own, none for dead arms; cap max(cap, 2 / n_active), at most 1."""
    dead = np.array([a.dead for a in arms])
    n_active = max(1, int((~dead).sum()))
    own = np.array([max(0.0, config.arm_floors.get(a.arm, 0.0)) for a in arms])
    own *= min(1.0, 0.3 / max(float(own.sum()), 1e-9))
    floor = np.where(dead, 0.0, np.maximum(min(config.floor, 0.2 / n_active), own))
    return floor, np.full(len(arms), min(1.0, max(config.cap, 2.0 / n_active)))


def project(target: FloatArray, floor: FloatArray, cap: FloatArray) -> FloatArray:
    """The weights nearest to `target` in KL with floor <= w <= cap and sum 1: clip(x * target, floor, cap).

    The caps give way in proportion when together they cannot reach 1.

    >>> project(np.array([0.9, 0.1, 0.0]), np.full(3, 0.05), np.full(3, 0.5)).round(3).tolist()
    [0.5, 0.45, 0.05]
    """
    cap = cap / min(1.0, max(float(cap.sum()), 1e-9))
    shape = np.maximum(target, 1e-9)
    low, high = 0.0, 1.0 / float(shape.min())
    for _ in range(200):
        middle = (low + high) / 2
        if float(np.clip(middle * shape, floor, cap).sum()) < 1.0:
            low = middle
        else:
            high = middle
    w = np.clip(high * shape, floor, cap)
    return np.asarray(w / w.sum())


def divergence(new: FloatArray, old: FloatArray) -> float:
    """KL(new || old) in nats over the arms where both are above 0, each renormalised there; 0 if there are none."""
    both = (new > 0) & (old > 0)
    if not both.any():
        return 0.0
    p, q = new[both] / new[both].sum(), old[both] / old[both].sum()
    return max(0.0, float(np.sum(p * np.log(p / q))))


def toward(old: FloatArray, new: FloatArray, start: FloatArray, bound: float) -> tuple[FloatArray, float]:
    """The farthest point on the line from `start` to `new` within KL `bound` of `old`, and its KL."""
    if divergence(new, old) <= bound:
        return new, divergence(new, old)
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if divergence((1 - middle) * start + middle * new, old) <= bound:
            low = middle
        else:
            high = middle
    w = (1 - low) * start + low * new
    return w, divergence(w, old)


def _target(arms: Sequence[ArmSummary], config: MixtureConfig) -> tuple[FloatArray, list[str]]:
    notes = []
    score = np.array([a.score for a in arms])
    if np.isnan(score).any():
        notes.append(f"{int(np.isnan(score).sum())} arms have a score of NaN, counted as 0")
    dead = np.array([a.dead for a in arms])
    good = np.array([a.pass_rate > config.mastered for a in arms])
    score = np.where(dead | (good & ~(good | dead).all()), 0.0, np.nan_to_num(score, nan=0.0).clip(0.0)) ** max(
        config.sharpness, 1e-9
    )
    even = np.full(len(arms), 1.0 / len(arms))
    if dead.all():
        notes.append("all arms are dead: even weights; ask for easier tasks")
        return even, notes
    if (good | dead).all():
        notes.append("all live arms are mastered: even weights over them; ask for harder tasks")
    main = score / score.sum() if score.sum() > 0 and not (good | dead).all() else ~dead / (~dead).sum()
    replay = good / good.sum() if good.any() else main
    return (1 - config.explore - config.replay) * main + config.explore * even + config.replay * replay, notes


def _diff(weights: FloatArray, previous: Plan | None, why: Mapping[str, str]) -> dict[str, dict[str, JsonValue]]:
    """Arms that moved by .005 or more; `why` has the reason of every arm, in the order of `weights`."""
    old = dict(previous.weights) if previous else {}
    changes: dict[str, dict[str, JsonValue]] = {}
    for (arm, reason), weight in zip(why.items(), weights, strict=True):
        before = old.pop(arm, 0.0)
        if previous is None or abs(weight - before) >= 0.005:
            changes[arm] = {"before": before, "after": round(float(weight), 6), "why": reason}
    for name, before in old.items():
        changes[name] = {"before": before, "after": 0.0, "why": "no tasks left in this arm"}
    return changes


def _why(arm: ArmSummary, config: MixtureConfig, weight: float, wanted: float) -> str:
    """The reason of a weight; `wanted` is what it would be without the trust region."""
    held = "; the trust region holds it" if abs(weight - wanted) >= 0.005 else ""
    tried = f"{arm.n} rollouts" + (f" and {arm.n_before} of policies before" if arm.n_before else "")
    if arm.dead:
        return f"dead: {tried} say pass rate < .05; " + (
            f"to be left but for exploration{held}" if held else "exploration only"
        )
    if arm.pass_rate > config.mastered:
        return f"mastered: pass rate {arm.pass_rate:.2f}; replay and floor only{held}"
    if arm.n + arm.n_before == 0:
        return f"untried: prior only{held}"
    return f"chance of a mixed group {arm.p_mixed:.2f}, score {arm.score:.2f}, pass rate {arm.pass_rate:.2f}{held}"
