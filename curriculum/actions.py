"""What is done about alarms: the published table, and the decisions it makes from alarms and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from curriculum.detectors.protocol import Firing
from curriculum.knobs import Settings, moved
from warehouse.errors import UserError
from warehouse.records import AlarmLevel, JsonValue

RULES_VERSION = "5"
"""Version of `RULES`; stored with every action."""
MAX_ROLLBACKS = 3
"""Roll-backs of a campaign; the next one becomes a stop."""

Change = Callable[[Settings], Mapping[str, float]]


class Rule(NamedTuple):
    """One intervention: knobs it moves, and what else it asks of whoever runs the stage.

    `rollback`: to the last healthy checkpoint, with a fresh optimizer; `sparing`: only to one with no lower pass@1,
    and where there is none it goes on from where it is. `end_stage`, `stop`: now. `mixture`, for the next plan: "up"
    away from mastered arms, "down" away from those out of reach, "kind" for the one of these against the leading kind
    of groups, "wider" over more arms, "floor" for the arm that was forgotten. `ask`: quarantine, synthesise, mask,
    resynchronise.
    """

    name: str
    change: Change = lambda settings: {}
    rollback: bool = False
    end_stage: bool = False
    stop: bool = False
    mixture: str = ""
    ask: str = ""
    sparing: bool = False


def _set(**values: float) -> Change:
    return lambda settings: values


def _scaled(**factors: float) -> Change:
    return lambda settings: {k: float(getattr(settings, k)) * f for k, f in factors.items()}


def _bolder(settings: Settings) -> Mapping[str, float]:
    """Entropy coefficient up (from 0 to .025, then doubled), advantages of pass@2 at least, temperature up by .1."""
    return {
        "entropy_coef": max(0.025, 2 * settings.entropy_coef),
        "pass_k": max(2, settings.pass_k),
        "temperature": settings.temperature + 0.1,
    }


def _calmer(settings: Settings) -> Mapping[str, float]:
    return {"entropy_coef": 0.0, "learning_rate": settings.learning_rate * 0.5}


def _sobered(settings: Settings) -> Mapping[str, float]:
    return {"entropy_coef": 0.0} if settings.entropy_coef > 0 else {"learning_rate": settings.learning_rate * 0.25}


_halved = _scaled(learning_rate=0.5)
ROLL_BACK = Rule("roll back, rate x .25", _scaled(learning_rate=0.25), rollback=True, end_stage=True)
STOP = Rule("stop", stop=True, end_stage=True)
HOLD = Rule("KL to the reference", _set(beta=0.02), rollback=True, end_stage=True)
FALL = (ROLL_BACK, HOLD, STOP)

RULES: Mapping[str, tuple[Rule, ...]] = {
    "pass_rate_gap": FALL,
    "pass_rate_fall": FALL,
    "gradient": FALL,
    "pass_k_loss": (
        Rule("entropy coefficient up, pass@k advantages, temperature up", _bolder),
        Rule(
            "roll back if that costs no pass@1, rate x .5, mixture wider",
            _halved,
            rollback=True,
            end_stage=True,
            mixture="wider",
            sparing=True,
        ),
        Rule("roll back, rate x .5", _halved, rollback=True, end_stage=True),
    ),
    "entropy_fall": (Rule("entropy coefficient up, pass@k advantages, temperature up", _bolder),),
    "entropy_surge": (Rule("entropy coefficient 0, rate x .5", _calmer), ROLL_BACK),
    "zero_variance": (Rule("mixture against the leading kind", mixture="kind"), Rule("synthesise", ask="synthesise")),
    "forgetting": (
        Rule("replay up to 15 %", _set(replay=0.15)),
        Rule("mixture floor for that arm", mixture="floor"),
    ),
    "hidden_tests": (Rule("quarantine the tasks, end the stage", ask="quarantine", end_stage=True), STOP),
    "length": (Rule("length cap down to three quarters", _scaled(max_completion_tokens=0.75), end_stage=True), STOP),
    "staleness": (
        Rule("resynchronise, staleness halved", _scaled(staleness=0.5), end_stage=True, ask="resynchronise"),
        STOP,
    ),
    "infrastructure": (Rule("mask, pause", ask="mask"), STOP),
    "duplicates": (Rule("temperature back to 1", _set(temperature=1.0), end_stage=True), STOP),
    "stock": (Rule("synthesise at the best arms", ask="synthesise"),),
}
"""Alarm: first action, then the next ones each time it fires again. `entropy_law` only informs."""

NEEDS_AGREEMENT = {
    "entropy_fall": ("pass_k_loss",),
    "entropy_surge": ("pass_k_loss", "pass_rate_gap", "pass_rate_fall", "hidden_tests"),
}
"""Entropy alone changes nothing: these alarms act only while one of those stands too."""


FALLEN = 0.1
"""pass@1 lost together with pass@k that makes a narrowing a fall."""

DISSOLVED = 1.5
"""Entropy now over entropy at the start from which a policy that lost passes is not narrow but dissolves."""

DISSOLVING = (Rule("roll back, entropy coefficient 0 or rate x .25", _sobered, rollback=True, end_stage=True), *FALL)
"""What a loss of passes is answered with while entropy has risen so far: a bonus goes before the rate does."""


def ladder(alarm: str, inputs: Mapping[str, JsonValue]) -> Sequence[Rule]:
    """The rules that answer an alarm, in order: its own, those of a policy that falls, or of one that dissolves.

    A narrowing that took pass@1 with it is a fall; a falling or dissolving policy is not made bolder.
    """
    lost, rise = (_number(inputs.get(name)) for name in ("pass@1_difference", "entropy_rise"))
    if rise >= DISSOLVED and (alarm == "pass_k_loss" or RULES[alarm] is FALL):
        return DISSOLVING
    return FALL if alarm == "pass_k_loss" and lost < -FALLEN else RULES[alarm]


def _number(value: JsonValue) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


class Decision(NamedTuple):
    """What to do about one alarm; `settings` are those to go on with. `refused`: why a knob was left, by knob."""

    alarm: str
    action: str
    rule_version: str
    settings: Settings
    changes: Mapping[str, tuple[float, float]]
    rollback: bool
    end_stage: bool
    stop: bool
    mixture: str
    ask: str
    sparing: bool
    refused: Mapping[str, str]

    def before(self) -> dict[str, JsonValue]:
        """Values of the moved knobs before."""
        return {knob: old for knob, (old, _) in self.changes.items()}

    def after(self) -> dict[str, JsonValue]:
        """Values of the moved knobs after, and what else is asked for."""
        out: dict[str, JsonValue] = {knob: new for knob, (_, new) in self.changes.items()}
        asked = {"rollback": self.rollback, "end_stage": self.end_stage, "stop": self.stop}
        out.update({name: True for name, on in asked.items() if on})
        out.update({name: text for name, text in (("mixture", self.mixture), ("ask", self.ask)) if text})
        if self.refused:
            out["refused"] = dict(self.refused)
        return out


def decide(
    firings: Iterable[Firing],
    settings: Settings,
    *,
    standing: Mapping[str, AlarmLevel],
    taken: Sequence[str] = (),
    n_rollbacks: int = 0,
) -> list[Decision]:
    """One decision for each critical alarm that the table answers, the gravest first; settings carry over.

    `standing` holds every detector's level now, `taken` the alarms acted on before, oldest first: the n-th time an
    alarm acts, its n-th rule applies, the last one from then on. An entropy alarm acts only while an alarm of
    `NEEDS_AGREEMENT` stands at warn or critical. Past `MAX_ROLLBACKS` a roll-back is a stop. One roll-back a call.
    """
    critical = [f for f in firings if f.level == AlarmLevel.CRITICAL and f.detector in RULES]
    critical.sort(key=lambda f: list(RULES).index(f.detector))
    decisions: list[Decision] = []
    done = list(taken)
    for firing in critical:
        allies = NEEDS_AGREEMENT.get(firing.detector)
        if allies and not any(standing.get(a, AlarmLevel.CLEAR) != AlarmLevel.CLEAR for a in allies):
            continue
        rules = ladder(firing.detector, firing.inputs)
        rule = rules[min(done.count(firing.detector), len(rules) - 1)]
        if rule.rollback and any(d.rollback for d in decisions):
            continue
        if rule.rollback and n_rollbacks >= MAX_ROLLBACKS:
            rule = STOP
        decision = _apply(firing, rule, settings)
        settings = decision.settings
        done.append(firing.detector)
        decisions.append(decision)
    return decisions


def _apply(firing: Firing, rule: Rule, settings: Settings) -> Decision:
    changes: dict[str, tuple[float, float]] = {}
    refused: dict[str, str] = {}
    now = settings
    for knob, value in rule.change(settings).items():
        old = float(getattr(now, knob))
        try:
            now = moved(now, knob, value)
        except UserError as error:
            refused[knob] = str(error)
            continue
        if float(getattr(now, knob)) == old:
            refused[knob] = f"already at its bound {old:g}" if value != old else f"already {old:g}"
        else:
            changes[knob] = (old, float(getattr(now, knob)))
    mixture = rule.mixture
    if mixture == "kind":
        mixture = "up" if firing.inputs.get("kind") == "all_right" else "down"
    if mixture and not settings.planned:
        refused["mixture"] = f"'{mixture}' has no effect here: this scheduler draws without a plan"
        mixture = ""
    return Decision(
        firing.detector,
        rule.name,
        RULES_VERSION,
        now,
        changes,
        rule.rollback,
        rule.end_stage,
        rule.stop,
        mixture,
        rule.ask,
        rule.sparing,
        refused,
    )


def effect(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, JsonValue]:
    """An action's effect one stage later: the change of each figure that both evaluations hold.

    >>> effect({"pass@1": 0.5}, {"pass@1": 0.53125, "pass@8": 0.7})
    {'pass@1': 0.03125}
    """
    return {name: after[name] - value for name, value in before.items() if name in after}
