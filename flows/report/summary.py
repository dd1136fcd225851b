"""What a campaign came to, in sentences."""

from __future__ import annotations

from curriculum.estimates import Verdict
from flows.report.changes import Change, Changes
from flows.report.events import events
from flows.report.facts import Arm, Facts, Row
from warehouse.records import Evaluation


def summary(facts: Facts) -> list[str]:
    """The sentences a reader needs first; each is said only when the warehouse holds what it speaks of."""
    sentences = [_effort(facts), _unmeasured(facts), _gain(facts), _breadth(facts), _entropy(facts), _baseline(facts)]
    sentences += [*_families(facts), _funnel(facts), _written(facts), _alarms(facts)]
    return [sentence for sentence in sentences if sentence]


def figure(e: Evaluation, digits: int = 2) -> str:
    """A figure with its 95 % interval: `0.62 [0.58, 0.66]`."""
    return f"{e.value:.{digits}f} [{e.low:.{digits}f}, {e.high:.{digits}f}]"


def _effort(facts: Facts) -> str:
    trained = [stage for stage in facts.arm.trained if stage.n_steps]
    if not trained:
        return "No training stage has been recorded for this campaign."
    steps, minutes = sum(s.n_steps for s in trained), sum(s.duration_s for s in trained) / 60
    scheduler = f" under the {facts.arm.scheduler} scheduler" if facts.arm.scheduler else ""
    state = "" if facts.finished else " The campaign has not finished: what follows is its state so far."
    return (
        f"The policy was trained for {_count(len(trained), 'stage')} and {_count(steps, 'optimizer step')}{scheduler}, "
        f"on {_spent(facts.arm)}; its training alone took {minutes:.1f} minutes.{state}"
    )


def _unmeasured(facts: Facts) -> str:
    """What the figures do not speak of: stages trained after the last evaluation."""
    stages = facts.arm.unmeasured
    if not stages:
        return ""
    named = " and ".join(str(stage.stage_index) for stage in stages)
    policy = str(stages[-1].policy_out or "")[:8]
    return (
        f"No figure here is of stage {named}, trained after this campaign's last evaluation; "
        f"see: gradatim evaluate --policy {policy}"
    )


def _gain(facts: Facts) -> str:
    ends = facts.arm.ends("pass@1")
    if ends is None:
        measured = facts.arm.end("pass@1")
        return "" if measured else "No evaluation has been recorded, so nothing is said of how good the policy is."
    before, after = ends
    return (
        f"On {_count(after.n, 'held-out task')} pass@1 went from {figure(before)} to {figure(after)}"
        f"{_verdict(_of(facts.change, 'pass@1'))}."
    )


def _breadth(facts: Facts) -> str:
    """Whether breadth was paid for pass@1: said only as far as the paired comparison of pass@k bears it."""
    name = facts.wide
    ends = facts.arm.ends(name) if name else None
    if name is None or ends is None:
        return ""
    change, narrow = _of(facts.change, name), _of(facts.change, "pass@1")
    text = f"{name} went from {figure(ends[0])} to {figure(ends[1])}{_verdict(change)}."
    gained = narrow is not None and narrow.verdict is Verdict.BETTER
    if change is not None:
        text += f" {_paid(change, gained)}{_fallen(facts, name, change)}"
    other = _of(facts.baseline_change, name)
    if other is not None and facts.baseline is not None:
        text += f" Under {facts.baseline.scheduler or 'the baseline'} it changed by {other}, {other.verdict}."
    return text


def _paid(change: Change, gained: bool) -> str:
    if change.verdict is Verdict.WORSE:
        return "Breadth was lost while pass@1 rose." if gained else "Breadth was lost."
    if change.verdict is Verdict.CANNOT_TELL:
        return f"Whether breadth held cannot be told: a loss of {max(0.0, -change.low):.2f} is not ruled out."
    return (
        "Over all tasks, what pass@1 gained was not bought with breadth." if gained else "Breadth grew over all tasks."
    )


def _fallen(facts: Facts, name: str, change: Change) -> str:
    """In how many families pass@k is lower than before, where it rose over all."""
    if change.verdict is not Verdict.BETTER:
        return ""
    found = [one[name] for group, one in facts.change.items() if group.startswith("family:") and name in one]
    fell = [one for one in found if one.difference < 0]
    if not fell:
        return ""
    proven = sum(one.verdict is Verdict.WORSE for one in fell)
    word = f"{proven} of them beyond chance" if proven else "none of them beyond chance"
    return f" By family {name} fell in {len(fell)} of {len(found)}, {word}."


def _entropy(facts: Facts) -> str:
    ends = facts.arm.ends("entropy")
    if ends is None or ends[0].value <= 0:
        return ""
    before, after = ends
    change = after.value / before.value - 1
    word = f"it {'fell' if change < 0 else 'rose'} by {abs(change):.0%}" if abs(change) >= 0.05 else "it held"
    return f"Entropy went from {before.value:.2f} to {after.value:.2f} nats a token: {word}."


def _baseline(facts: Facts) -> str:
    """The campaign's end against the baseline's, in pass@1 and pass@k."""
    other = facts.baseline.end("pass@1") if facts.baseline else None
    if other is None or facts.baseline is None or facts.arm.end("pass@1") is None:
        return ""
    name = facts.baseline.scheduler or "baseline"
    cost = f" with {_spent(facts.baseline)}" if facts.baseline.trained else ""
    text = f"The {name} baseline, trained from the same start{cost}, ended at {figure(other)}"
    change, wide = _of(facts.against, "pass@1"), _of(facts.against, facts.wide or "")
    if change is None:
        return f"{text}; the two were not measured on the same tasks, so they are not compared."
    standing = {
        Verdict.BETTER: f"better than {name} sampling",
        Verdict.WORSE: f"worse than {name} sampling",
        Verdict.CANNOT_TELL: f"level with {name} sampling",
    }[change.verdict]
    tail = "; cannot tell" if change.verdict is Verdict.CANNOT_TELL else ""
    breadth = f" In {facts.wide} it differs by {wide}, {wide.verdict}." if wide else ""
    return f"{text}: task by task the campaign is {standing}: {change}{tail}.{breadth}"


def _families(facts: Facts) -> list[str]:
    gains = {
        group.removeprefix("family:"): found["pass@1"]
        for group, found in facts.change.items()
        if group.startswith("family:") and "pass@1" in found
    }
    if not gains:
        return []
    best, worst = max(gains, key=lambda f: gains[f].difference), min(gains, key=lambda f: gains[f].difference)
    sentence = f"The family that gained most is {best} ({_judged(gains[best])})"
    if best == worst:
        return [f"{sentence}."]
    word = "lost" if gains[worst].verdict is Verdict.WORSE else "gained least"
    return [f"{sentence}; {worst} {word} ({_judged(gains[worst])})."]


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
        control = f"; by its own word alone it would be {_wrong(alone)}" if alone else ""
        sentences.append(
            f"Of the tasks that {generator} wrote and a model of the lineage {row['verifier_lineage']} admitted, "
            f"{_wrong(row)} {'is' if row['n_admitted_wrong'] == 1 else 'are'} wrong by the families' programs{control}."
        )
    return " ".join(sentences)


def _wrong(row: Row) -> str:
    return f"{row['n_admitted_wrong']:,} of {row['n_admitted']:,} ({share(row, 'admitted_wrong')})"


def share(row: Row, name: str) -> str:
    """A rate with its 95 % interval in percent: `0.2 % [0.1, 0.5]`; a dash where it was not measured."""
    rate, low, high = (row[f"{name}_{end}"] for end in ("rate", "low", "high"))
    return "–" if rate is None else f"{_percent(rate)} % [{_percent(low)}, {_percent(high)}]"


def _percent(rate: float) -> str:
    """One digit behind the point, and as many as it takes to tell a small rate from none.

    >>> _percent(0.0), _percent(0.00039), _percent(0.0554)
    ('0.0', '0.04', '5.5')
    """
    return f"{100 * rate:.1f}" if rate == 0 or rate >= 0.001 else f"{100 * rate:.1g}"


def _alarms(facts: Facts) -> str:
    found = events(facts)
    loud = [event for event in found if event["kind"] in ("warn", "critical")]
    if not loud:
        return "No detector fired." if facts.arm.trained else ""
    critical = sum(event["kind"] == "critical" for event in loud)
    where = ", ".join(
        f"{event['what']} {'cleared ' if event['kind'] == 'clear' else ''}{event['where']}"
        for event in found
        if event["kind"] != "action"
    )
    return (
        f"Detectors fired {_count(len(loud), 'time')}, {critical} of them critical ({where}); "
        f"{_count(sum(action.applied for action in facts.actions), 'action')} changed the run."
    )


def _spent(arm: Arm) -> str:
    """The rollouts that were trained on, and those that canaries took beside them."""
    stages = arm.trained
    canaries = sum(arm.canaries.get(stage.stage_id, 0) for stage in stages)
    beside = f" and {canaries:,} of canaries" if canaries else ""
    return f"{_count(sum(stage.n_rollouts for stage in stages) - canaries, 'training rollout')}{beside}"


def _of(found: Changes, metric: str) -> Change | None:
    return found.get("all", {}).get(metric)


def _judged(change: Change) -> str:
    return f"{change}, {change.verdict}"


def _verdict(change: Change | None) -> str:
    return f": task by task {_judged(change)}" if change else "; no rollouts are stored to compare them task by task"


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
