"""What a campaign came to, in sentences."""

from __future__ import annotations

from flows.report.facts import Arm, Facts, Row, by_family
from warehouse.records import Evaluation


def summary(facts: Facts) -> list[str]:
    """The sentences a reader needs first; each is said only when the warehouse holds what it speaks of."""
    sentences = [_effort(facts), _gain(facts), _breadth(facts), _entropy(facts), _baseline(facts), *_families(facts)]
    return [sentence for sentence in [*sentences, _funnel(facts), _written(facts), _alarms(facts)] if sentence]


def figure(e: Evaluation) -> str:
    """A figure with its 95 % interval: `0.62 [0.58, 0.66]`."""
    return f"{e.value:.2f} [{e.low:.2f}, {e.high:.2f}]"


def _effort(facts: Facts) -> str:
    trained = [stage for stage in facts.arm.trained if stage.n_steps]
    if not trained:
        return "No training stage has been recorded for this campaign."
    steps, rollouts = sum(s.n_steps for s in trained), sum(s.n_rollouts for s in trained)
    minutes = sum(s.duration_s for s in trained) / 60
    scheduler = f" under the {facts.arm.scheduler} scheduler" if facts.arm.scheduler else ""
    state = "" if facts.finished else " The campaign has not finished: what follows is its state so far."
    return (
        f"The policy was trained for {_count(len(trained), 'stage')} and {_count(steps, 'optimizer step')}{scheduler}, "
        f"on {_count(rollouts, 'rollout')}, in {minutes:.1f} minutes.{state}"
    )


def _gain(facts: Facts) -> str:
    found = facts.arm.figures("pass@1")
    if len(found) < 2:
        return "" if found else "No evaluation has been recorded, so nothing is said of how good the policy is."
    before, after = found[0], found[-1]
    return (
        f"On {_count(after.n, 'held-out task')} pass@1 went from {figure(before)} to {figure(after)}: "
        f"{_verdict(before, after)}."
    )


def _breadth(facts: Facts) -> str:
    name = facts.arm.pass_at_k()
    found = facts.arm.figures(name) if name else []
    if len(found) < 2:
        return ""
    before, after = found[0], found[-1]
    lost = after.value < before.value - (before.high - before.low) / 2
    gained = [e.value for e in facts.arm.figures("pass@1")]
    word = "breadth was lost while training" if lost else "breadth held"
    if not lost and gained and gained[-1] > gained[0]:
        word = "what pass@1 gained was not bought with breadth"
    return f"{name} went from {figure(before)} to {figure(after)}: {word}."


def _entropy(facts: Facts) -> str:
    found = facts.arm.figures("entropy")
    if len(found) < 2 or found[0].value <= 0:
        return ""
    before, after = found[0], found[-1]
    change = after.value / before.value - 1
    word = f"it {'fell' if change < 0 else 'rose'} by {abs(change):.0%}" if abs(change) >= 0.05 else "it held"
    return f"Entropy went from {before.value:.2f} to {after.value:.2f} nats a token: {word}."


def _baseline(facts: Facts) -> str:
    own = facts.arm.figures("pass@1")
    other = facts.baseline.figures("pass@1") if facts.baseline else []
    if not own or not other or facts.baseline is None:
        return ""
    name, difference = facts.baseline.scheduler or "baseline", own[-1].value - other[-1].value
    spent = _rollouts(facts.baseline)
    cost = f" with {_count(spent, 'rollout')}" if spent else ""
    return (
        f"The {name} baseline, trained from the same start{cost}, ended at {figure(other[-1])}: the campaign is "
        f"{abs(difference):.2f} {'above' if difference >= 0 else 'below'} it"
        f"{', but the intervals overlap' if _overlap(own[-1], other[-1]) else ''}."
    )


def _families(facts: Facts) -> list[str]:
    gains = {
        family: found[-1].value - found[0].value
        for family, found in by_family(facts.arm, "pass@1").items()
        if len(found) > 1
    }
    if not gains:
        return []
    best, worst = max(gains, key=lambda f: gains[f]), min(gains, key=lambda f: gains[f])
    sentence = f"The family that gained most is {best} ({gains[best]:+.2f})"
    if best == worst:
        return [f"{sentence}."]
    return [f"{sentence}; {worst} {'lost' if gains[worst] < 0 else 'gained least'} ({gains[worst]:+.2f})."]


def _funnel(facts: Facts) -> str:
    n_in, n_out = (sum(int(row[name]) for row in facts.funnel) for name in ("n_in", "n_out"))
    if not n_in:
        return ""
    reason = f"; the most frequent reason for rejection was “{facts.reasons[0]['reason']}”" if facts.reasons else ""
    return f"Of {_count(n_in, 'attempt')} to make a task, {n_out:,} were admitted ({n_out / n_in:.0%}){reason}."


def _written(facts: Facts) -> str:
    """How right the tasks are that one model wrote and another admitted, beside the writer's own word."""
    found = {(row["generator"], row["verification"]): row for row in facts.verification if row["n_admitted"]}
    sentences = []
    for (generator, way), row in found.items():
        if way != "separated":
            continue
        alone = found.get((generator, "alone"))
        control = f"; by its own word alone it would be {share(alone, 'admitted_wrong')}" if alone else ""
        sentences.append(
            f"Of {_count(int(row['n_admitted']), 'task')} that {generator} wrote and a model of the lineage "
            f"{row['verifier_lineage']} admitted, {share(row, 'admitted_wrong')} are wrong by the families' programs"
            f"{control}."
        )
    return " ".join(sentences)


def share(row: Row, name: str) -> str:
    """A rate with its 95 % interval in percent: `0.2 % [0.1, 0.5]`; a dash where it was not measured."""
    rate, low, high = (row[f"{name}_{end}"] for end in ("rate", "low", "high"))
    return "–" if rate is None else f"{100 * rate:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


def _alarms(facts: Facts) -> str:
    loud = [alarm for alarm in facts.alarms if alarm.level != "clear"]
    if not loud:
        return "No detector fired." if facts.arm.trained else ""
    critical = sum(alarm.level == "critical" for alarm in loud)
    return (
        f"Detectors fired {_count(len(loud), 'time')}, {critical} of them critical; "
        f"{_count(sum(action.applied for action in facts.actions), 'action')} changed the run."
    )


def _rollouts(arm: Arm) -> int:
    return sum(stage.n_rollouts for stage in arm.trained)


def _verdict(before: Evaluation, after: Evaluation) -> str:
    if _overlap(before, after):
        return "the intervals overlap, so this may be chance"
    return "a clear gain" if after.value > before.value else "a clear loss"


def _overlap(one: Evaluation, other: Evaluation) -> bool:
    return one.low <= other.high and other.low <= one.high


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
