"""What a campaign looks like now: its newest evaluation, the stage that runs, alarms and what was done about them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from curriculum.detectors.entropy_law import fit
from curriculum.forecast import forecast
from flows.steps.evaluation import figures_of
from flows.steps.stage_series import evaluated
from warehouse.records import Action, Alarm, JsonValue, Metric, RunStatus, Stage
from warehouse.store import Store

TRAINING = (
    "n_rollouts", "reward", "all_right", "all_wrong", "n_tokens", "latency_p95_s", "cheat_rate", "truncated_rate",
    "duplicate_rate", "infra_rate",
)  # fmt: skip
"""What is shown of the newest stage's training rollouts."""


def panel(store: Store, campaign_id: str) -> Mapping[str, JsonValue]:
    """{"campaign_id", "evaluation", "training", "entropy", "alarms", "failed_stages"} of one line of training.

    Parts that the warehouse does not hold yet are empty. `entropy.forecast` is for the end of a stage as long as
    the newest; `entropy.ceiling` is the reward that the law R = -a exp(H) + b leaves at no entropy.
    """
    looks = evaluated(store, campaign_id)
    newest = max(looks, default=None)
    stages = store.read(Stage, "campaign_id = $campaign AND kind = 'grpo'", {"campaign": campaign_id})
    owners = [campaign_id, *(stage.stage_id for stage in stages)]
    shown: dict[str, JsonValue] = {"campaign_id": campaign_id, "evaluation": {}, "training": {}, "entropy": {}}
    if newest is not None:
        figures = figures_of(store, campaign_id, newest)
        shown["evaluation"] = {"stage_index": newest, **{name: dict(figure) for name, figure in figures.items()}}
    if stages:
        stage = max(stages, key=lambda stage: stage.stage_index)
        shown["training"] = _training(store, stage)
        shown["entropy"] = _entropy(store, stages, stage)
    shown["alarms"] = list(_alarms(store, owners, {stage.stage_id: stage.stage_index for stage in stages}))
    shown["failed_stages"] = sum(stage.status is RunStatus.FAILED for stage in stages)
    return shown


def _training(store: Store, stage: Stage) -> dict[str, JsonValue]:
    rows = store.named("stage_health", stage=stage.stage_id).to_pylist()
    found: dict[str, JsonValue] = {"stage_index": stage.stage_index, "status": str(stage.status)}
    found |= {"attempt": stage.attempt, "policy_in": stage.policy_in, "reason": stage.reason}
    return found | {name: _number(rows[0][name]) if rows else None for name in TRAINING}


def _entropy(store: Store, stages: list[Stage], newest: Stage) -> dict[str, JsonValue]:
    """Entropy of training steps: now, forecast, half-life in steps, and the reward still to be had for it."""
    series: dict[str, list[tuple[int, float]]] = {"entropy": [], "reward": []}
    first = 0
    for stage in sorted(stages, key=lambda stage: stage.stage_index):
        rows = store.read(Metric, "owner = $owner AND name IN ('entropy', 'reward')", {"owner": stage.stage_id})
        steps = {(row.name, row.step): row.value for row in sorted(rows, key=lambda row: row.attempt)}
        for (name, step), value in sorted(steps.items()):
            series[name].append((first + step, value))
        first += max((step for _, step in steps), default=-1) + 1
    entropy = dict(series["entropy"])
    if not entropy:
        return {}
    ahead = max(1, newest.n_steps or 50)
    expected = forecast(list(entropy), list(entropy.values()), ahead)
    reward = dict(series["reward"])
    both = [step for step in entropy if step in reward]
    law = fit([entropy[step] for step in both], [reward[step] for step in both])
    found: dict[str, JsonValue] = {"now": _number(list(entropy.values())[-1]), "ahead_steps": ahead}
    if expected is not None:
        found["forecast"] = {"value": expected.value, "low": expected.low, "high": expected.high}
        found["half_life_steps"] = _number(expected.half_life)
    if law is not None and law.a > 0:
        found["ceiling"] = {"value": law.ceiling, "low": law.low, "high": law.high, "r2": law.r2}
    return found


def _alarms(store: Store, owners: list[str], places: Mapping[str, int]) -> list[dict[str, JsonValue]]:
    """Every alarm, oldest first, with what was done about it and what that changed."""
    actions: dict[str | None, list[Action]] = {}
    for action in store.read(Action, "list_contains($owners, owner)", {"owners": owners}):
        actions.setdefault(action.alarm_id, []).append(action)
    found = []
    for alarm in store.read(Alarm, "list_contains($owners, owner)", {"owners": owners}):
        between = alarm.owner not in places
        row: dict[str, JsonValue] = {
            "stage_index": alarm.step if between else places[alarm.owner],
            "step": None if between else alarm.step,
            "detector": alarm.detector,
            "level": str(alarm.level),
            "value": alarm.inputs.get("value"),
            "inputs": dict(alarm.inputs),
            "actions": [
                {
                    "action": action.action,
                    "applied": action.applied,
                    "before": dict(action.before),
                    "after": dict(action.after),
                    "effect": dict(action.effect),
                }
                for action in actions.get(alarm.alarm_id, [])
            ],
        }
        found.append(row)
    return sorted(found, key=lambda row: (int(str(row["stage_index"])), row["step"] is None))


def _number(value: object) -> float | None:
    """A finite number, or none."""
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None
