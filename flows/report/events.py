"""Alarms and actions of a campaign: where they lie, and what they say in words."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, NamedTuple

from curriculum.detectors import DETECTORS
from flows.report.facts import Facts
from flows.steps.watching import NEXT
from warehouse.records import Action, Alarm, JsonValue

LABELS = {
    "arm": "arm",
    "worst": "change",
    "difference": "change",
    "low": "lower end of its interval",
    "high": "upper end of its interval",
    "value": "measured",
}
"""Inputs of detectors that read better under another name, in the order in which they are told."""


class Place(NamedTuple):
    """A point of the campaign: optimizer steps since its start, and the same in words."""

    step: int
    where: str


def events(facts: Facts) -> list[dict[str, Any]]:
    """Alarms, what cleared them and actions in order of the campaign's steps.

    Each is {"step", "where", "what", "kind", "words", "detail", "effect"}; `kind` is warn, critical, clear or action.
    """
    places = {alarm.alarm_id: _of_alarm(facts, alarm) for alarm in facts.alarms}
    found = []
    for alarm in facts.alarms:
        place, kind = places[alarm.alarm_id], str(alarm.level)
        found.append(_event(place, alarm.detector, kind, _alarm_words(alarm), alarm.inputs, {}))
    for action in facts.actions:
        place = places.get(action.alarm_id or "") or _of_action(facts, action)
        change: dict[str, JsonValue] = {"before": dict(action.before), "after": dict(action.after)}
        change |= {"applied": action.applied}
        found.append(_event(place, action.action, "action", _action_words(action), change, action.effect))
    return sorted(found, key=lambda event: (event["step"], event["kind"] == "action", event["what"]))


def _event(
    place: Place, what: str, kind: str, words: str, detail: Mapping[str, JsonValue], effect: Mapping[str, JsonValue]
) -> dict[str, Any]:
    shown = {"what": what, "kind": kind, "words": words, "detail": dict(detail), "effect": dict(effect)}
    return place._asdict() | shown


def _of_alarm(facts: Facts, alarm: Alarm) -> Place:
    """Of a look between stages, whose step is a stage's index, the end of that stage; else the step in its stage."""
    for stage in facts.arm.trained:
        if stage.stage_id == alarm.owner:
            at = facts.arm.starts[stage.stage_id] + alarm.step
            return Place(at, f"stage {stage.stage_index}, step {alarm.step}")
    return _after(facts, alarm.step)


def _of_action(facts: Facts, action: Action) -> Place:
    for stage in facts.arm.trained:
        if stage.stage_id == action.owner:
            return Place(facts.arm.starts[stage.stage_id], f"stage {stage.stage_index}")
    following = action.after.get(NEXT)
    last = max((stage.stage_index for stage in facts.arm.trained), default=0)
    return _after(facts, following - 1 if isinstance(following, int) else last)


def _after(facts: Facts, index: int) -> Place:
    steps = sum(stage.n_steps for stage in facts.arm.trained if stage.stage_index <= index)
    return Place(steps, f"after stage {index}")


def _alarm_words(alarm: Alarm) -> str:
    """What the detector looks for, what it saw, and its levels where it is still known."""
    if alarm.detector not in DETECTORS.names():
        return _listed(alarm.inputs)
    detector = DETECTORS.get(alarm.detector)
    module = inspect.getmodule(detector.measure)
    meaning = ((module and module.__doc__) or "").strip().partition("\n")[0]
    levels = f"Warns at {detector.warn:g}, critical at {detector.critical:g}."
    seen = _listed(alarm.inputs)
    return " ".join(part for part in (meaning, f"Seen: {seen}." if seen else "", levels) if part)


def _action_words(action: Action) -> str:
    changed = [
        f"{_name(name)} {_worded(action.before.get(name))} → {_worded(after)}" if name in action.before
        else f"{_name(name)} {_worded(after)}"
        for name, after in action.after.items()
        if name != NEXT
    ]  # fmt: skip
    said = "; ".join(changed) or "nothing was to be set"
    effect = f" One stage later: {_listed(action.effect)}." if action.effect else ""
    return f"{'Done' if action.applied else 'Only advised, not done'}: {said}.{effect}"


def _listed(values: Mapping[str, JsonValue]) -> str:
    order = [*LABELS]
    ordered = sorted(values.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order))
    return ", ".join(f"{_name(name)} {_worded(value)}" for name, value in ordered if value is not None)


def _name(name: str) -> str:
    return LABELS.get(name, name.replace("_", " "))


def _worded(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, Mapping):
        return f"({_listed(value)})"
    if isinstance(value, (list, tuple)):
        return ", ".join(_worded(inner) for inner in value)
    return "none" if value is None else str(value)
