"""After each stage: what its evaluation says, what fires, what is done about it, and where the campaign goes on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from curriculum.actions import RULES_VERSION, Decision, effect
from curriculum.detectors import Firing
from curriculum.looks import (
    figures,
    healthy_before,
    is_evidence,
    moves,
    proven_losses,
    respond,
    see,
    worse_by_pass_rate,
)
from curriculum.standing import Done, Standing, follow
from flows.campaign import CampaignConfig
from flows.steps.notifying import notify
from flows.steps.setting_aside import set_aside
from flows.steps.stage_series import Look, evaluated, look_at, stage_behind, stored_looks
from flows.steps.steering import Course, settings_of, steered
from flows.workshop import Workshop
from trainer.weights import weights_hash
from warehouse.errors import UserError
from warehouse.records import Action, Alarm, AlarmLevel, JsonValue, Policy, Record, content_hash
from warehouse.store import Store

NEXT = "next_stage"
"""Key in an action's `after`: the stage that starts with it."""


class Events(NamedTuple):
    """Alarms by id, and actions by the stage they followed, oldest first; `asked` for the flow to carry out."""

    alarms: Mapping[str, Alarm]
    done: Mapping[int, list[Done]]
    asked: Mapping[int, list[Done]]


def watch_stage(shop: Workshop, config: CampaignConfig, policy: str, *, campaign_id: str, index: int) -> Course:
    """Look at stage `index`, which made `policy`; store alarms and actions; returns the course of the next stage.

    Done once: a campaign that goes on later finds the rows, and its course follows from them alone. With the watch
    off nothing is looked at. An arm that ends leaves its reason among the run's outputs.
    """
    if not config.watch.enabled:
        return Course(config, policy)
    batch = content_hash("watch", campaign_id, index)
    if not shop.seen(batch):
        rows = list(_look(shop.store, config, campaign_id, index))
        if shop.commit(rows, batch=batch, purpose=f"watch after stage {index}").new:
            notify(shop.settings.webhook, rows)
    found = course(shop.store, config, policy, campaign_id=campaign_id, index=index)
    if found.ended is not None:
        shop.outputs["ended"] = {campaign_id: {"after_stage": index, "reason": found.ended}}
    return found


def course(store: Store, config: CampaignConfig, policy: str, *, campaign_id: str, index: int) -> Course:
    """Where the campaign goes on after stage `index`, from the stored actions alone."""
    events = events_of(store, campaign_id)
    if config.watch.watch_only:
        return Course(steered(config, settings_of(config)), policy)
    standing = _standing(config, events, index)
    newest = [one for one in events.done.get(index, []) if one.action.applied]
    went_back = [one.action.after["policy"] for one in newest if one.action.after.get("policy")]
    ended = next((f"{one.alarm}: {one.action.action}" for one in newest if one.action.after.get("stop")), None)
    return Course(
        steered(config, standing.settings, standing.words),
        str(went_back[-1]) if went_back else policy,
        fresh=bool(went_back),
        ended=ended,
    )


def conclude(shop: Workshop, config: CampaignConfig, policy: str, *, campaign_id: str, index: int) -> Course:
    """Where a campaign stands whose last stage, `index`, made `policy`: at its last healthy look.

    A policy with a proven loss of pass@k, or one under a critical alarm that is evidence, is left for the newest one
    without, where that has no lower pass@1; that is an action like any other, so that a later stage begins there too.
    """
    found = course(shop.store, config, policy, campaign_id=campaign_id, index=index)
    if not config.watch.enabled or config.watch.watch_only or found.policy != policy:
        return found
    events, looks = events_of(shop.store, campaign_id), stored_looks(shop.store, campaign_id)
    unhealthy = _unhealthy(events, events.alarms.values(), looks, campaign_id)
    worse = worse_by_pass_rate(looks, index)
    back = _way_back(shop.store, campaign_id, index, unhealthy | worse) if index in unhealthy else None
    if back is None:
        return found
    behind = [
        alarm
        for alarm in events.alarms.values()
        if alarm.owner == campaign_id and alarm.level is not AlarmLevel.CLEAR and is_evidence(alarm.detector)
    ]
    action = Action(
        action_id=content_hash("conclude", campaign_id, index),
        alarm_id=max(behind, key=lambda alarm: alarm.step).alarm_id if behind else None,
        owner=campaign_id,
        action="end at the last healthy policy",
        rule_version=RULES_VERSION,
        after={"look": back[0], "policy": back[1], NEXT: index + 1},
        applied=True,
    )
    shop.commit([action], batch=content_hash("conclude", campaign_id, index), purpose=f"conclude after stage {index}")
    return course(shop.store, config, policy, campaign_id=campaign_id, index=index)


def final_look(store: Store, campaign_id: str) -> int:
    """The index of the evaluation that a campaign's last policy has: after a last roll-back, the one gone back to."""
    newest = max(evaluated(store, campaign_id), default=0)
    back = [one.action for one in events_of(store, campaign_id).done.get(newest, []) if one.action.applied]
    looks = [action.after["look"] for action in back if action.after.get("policy")]
    return int(str(looks[-1])) if looks else newest


def events_of(store: Store, campaign_id: str) -> Events:
    """Everything that fired in a campaign and was done, between its stages and within them."""
    stages = {}
    for index, policy in evaluated(store, campaign_id).items():
        stage = stage_behind(store, policy, index) if index else None
        if stage is not None:
            stages[stage.stage_id] = (index, stage.reason is not None)
    owners = {"owners": [campaign_id, *stages]}
    alarms = {alarm.alarm_id: alarm for alarm in store.read(Alarm, "list_contains($owners, owner)", owners)}
    within: dict[int, list[Done]] = {}
    between: dict[int, list[Done]] = {}
    asked: dict[int, list[Done]] = {}
    for action in store.read(Action, "list_contains($owners, owner)", owners):
        alarm = alarms.get(str(action.alarm_id))
        one = Done(alarm.detector if alarm else "", action)
        if action.owner == campaign_id:
            between.setdefault(int(str(action.after[NEXT])) - 1, []).append(one)
            continue
        index, ended = stages[action.owner]
        if not action.applied:
            continue
        if not any(action.after.get(word) for word in ("end_stage", "rollback", "stop")):
            within.setdefault(index, []).append(one)
        elif ended:
            asked.setdefault(index, []).append(one)
    done = {index: [*within.get(index, []), *between.get(index, [])] for index in {*within, *between}}
    return Events(alarms, done, asked)


def _look(store: Store, config: CampaignConfig, campaign_id: str, index: int) -> list[Record]:
    """Rows of one look: its series, its alarms, the actions, and the effect of those of the look before."""
    known = stored_looks(store, campaign_id)
    missing = sorted(look for look in evaluated(store, campaign_id) if look <= index and look not in known)
    made = [look_at(store, config, campaign_id, look) for look in missing]
    looks = {look: values for look, values in known.items() if look <= index} | {m.index: dict(m.values) for m in made}
    seen, events = see(looks), events_of(store, campaign_id)
    asked = {_firing(one, events).detector: one for one in events.asked.get(index, [])}
    alarms = {f.detector: _alarm(f, campaign_id, index, made[-1] if made else None) for f in seen.firings}
    identity = {name: alarm.alarm_id for name, alarm in alarms.items()}
    identity |= {name: str(one.action.alarm_id) for name, one in asked.items()}
    standing = _standing(config, events, index)
    decisions = respond(
        seen,
        [_firing(one, events) for one in asked.values()],
        standing.settings,
        taken=() if config.watch.watch_only else standing.taken,
        n_rollbacks=standing.n_rollbacks,
        answered=[one.alarm for one in events.done.get(index, []) if one.action.owner != campaign_id],
    )
    unhealthy = _unhealthy(events, [*events.alarms.values(), *alarms.values()], looks, campaign_id)
    worse = worse_by_pass_rate(looks, index)
    ways = {
        one.alarm: _way_back(store, campaign_id, index, unhealthy | (worse if one.sparing else set()))
        for one in decisions
    }
    actions = [
        _action(one, identity[one.alarm], config, campaign_id, index, ways[one.alarm], alarms.get(one.alarm))
        for one in decisions
    ]
    suspected = any(decision.ask == "quarantine" for decision in decisions) and not config.watch.watch_only
    return [
        *(row for look in made for row in look.rows(campaign_id)),
        *alarms.values(),
        *actions,
        *(set_aside(store, campaign_id, index) if suspected else ()),
        *_effects(events.done.get(index - 1, []), looks, index),
    ]


def _standing(config: CampaignConfig, events: Events, index: int) -> Standing:
    """What all actions up to the look after stage `index` add up to."""
    done = [one for look in sorted(events.done) if look <= index for one in events.done[look]]
    return follow(settings_of(config), done)


def _firing(one: Done, events: Events) -> Firing:
    """What a guard asked for, as a critical firing of its detector."""
    alarm = events.alarms[str(one.action.alarm_id)]
    value = alarm.inputs.get("value")
    measured = float(value) if isinstance(value, (int, float)) else math.inf
    inputs = {name: item for name, item in alarm.inputs.items() if name != "value"}
    evidence = is_evidence(alarm.detector)
    return Firing(alarm.detector, alarm.detector_version, AlarmLevel.CRITICAL, alarm.step, measured, inputs, evidence)


def _alarm(firing: Firing, campaign_id: str, index: int, look: Look | None) -> Alarm:
    inputs: dict[str, JsonValue] = {**firing.inputs, "value": firing.value if math.isfinite(firing.value) else None}
    if firing.detector == "forgetting" and look is not None and look.fall is not None:
        inputs["arm"] = look.fall.arm
    return Alarm(
        alarm_id=content_hash(campaign_id, index, firing.detector),
        owner=campaign_id,
        step=index,
        detector=firing.detector,
        detector_version=firing.version,
        level=firing.level,
        inputs={name: None if isinstance(v, float) and not math.isfinite(v) else v for name, v in inputs.items()},
    )


def _unhealthy(
    events: Events, alarms: Iterable[Alarm], looks: Mapping[int, Mapping[str, float]], campaign_id: str
) -> set[int]:
    """Looks that are none to go back to: under a grave alarm, ended by a guard on evidence, or with a proven loss."""
    found = {alarm.step for alarm in alarms if _is_grave(alarm, campaign_id)} | proven_losses(looks)
    return found | {index for index, asked in events.asked.items() if any(is_evidence(one.alarm) for one in asked)}


def _is_grave(alarm: Alarm, campaign_id: str) -> bool:
    return alarm.owner == campaign_id and alarm.level is AlarmLevel.CRITICAL and is_evidence(alarm.detector)


def _way_back(store: Store, campaign_id: str, index: int, unhealthy: set[int]) -> tuple[int, str] | None:
    """The newest look without grave alarms whose checkpoint is still whole, and its policy; none when none is."""
    policies = evaluated(store, campaign_id)
    for look in healthy_before(index, unhealthy, policies):
        rows = store.read(Policy, "policy_id = $id", {"id": policies[look]})
        if rows and _whole(store, rows[-1]):
            return look, policies[look]
    return None


def _whole(store: Store, policy: Policy) -> bool:
    try:
        return not policy.weights_hash or weights_hash(store.home.root / policy.path) == policy.weights_hash
    except UserError:
        return False


def _action(
    decision: Decision,
    alarm_id: str,
    config: CampaignConfig,
    campaign_id: str,
    index: int,
    back: tuple[int, str] | None,
    alarm: Alarm | None,
) -> Action:
    """One decision as a row; a roll-back without a whole checkpoint to go back to ends the arm.

    A sparing one goes on from where it is when every healthy policy before has a lower pass@1.
    """
    after: dict[str, JsonValue] = {**decision.after(), NEXT: index + 1}
    name = decision.action
    if decision.rollback and back is None and decision.sparing:
        after["rollback"] = False
        name = f"{name}: every healthy policy before has a lower pass@1, go on"
    elif decision.rollback and back is None:
        after |= {"stop": True, "rollback": False}
        name = f"{name}: no healthy checkpoint is whole, stop"
    if (decision.rollback or decision.stop) and back is not None:
        after |= {"look": back[0], "policy": back[1]}
    if decision.mixture == "floor" and alarm is not None:
        after["arm"] = alarm.inputs.get("arm")
    return Action(
        action_id=content_hash(alarm_id, decision.action, NEXT, index + 1),
        alarm_id=alarm_id,
        owner=campaign_id,
        action=name,
        rule_version=decision.rule_version,
        before=decision.before(),
        after=after,
        applied=moves(decision) and not config.watch.watch_only,
    )


def _effects(done: Sequence[Done], looks: Mapping[int, Mapping[str, float]], index: int) -> list[Action]:
    """The actions that stage `index` was the first to follow, with what changed over it."""
    if index not in looks or index - 1 not in looks:
        return []
    measured = effect(figures(looks[index - 1]), figures(looks[index]))
    return [replace(one.action, effect=measured) for one in done if one.action.applied]
