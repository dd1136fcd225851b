"""What episodes of agent tasks show beside their verdict: tools chosen, recovery, cost, and how success scales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from synth.environments.compliance import name_of
from warehouse.records import JsonValue, Judgement, Rollout

Turn = Mapping[str, JsonValue]


class Behaviour(NamedTuple):
    """Rates over decided episodes in [0, 1]; none where nothing of the kind happened.

    `tool_choice` is the share of calls to a tool that the task needs, where that is known; `recovery` the share of
    episodes with a refused call that were solved all the same; latencies in seconds.
    """

    n: int
    solve_rate: float | None
    tool_choice: float | None
    refused_rate: float | None
    recovery: float | None
    violation_rate: float | None
    cheat_rate: float | None
    out_of_budget_rate: float | None
    mean_turns: float | None
    mean_tokens: float | None
    p50_latency_s: float | None
    p95_latency_s: float | None


class Point(NamedTuple):
    """Share of tasks solved within a budget of turns or tokens."""

    budget: int
    solve_rate: float


def said(row: Rollout) -> list[Turn]:
    """The turns of the policy."""
    return [turn for turn in row.turns if turn.get("role") == "assistant"]


def behaviour(rows: Sequence[Rollout], needed: Mapping[str, frozenset[str]] | None = None) -> Behaviour:
    """The measures of episodes; `needed` names the tools that a task's own plan calls, by task id."""
    own = [row for row in rows if row.judgement.decided]
    solved = [row.judgement is Judgement.PASS for row in own]
    turns = [said(row) for row in own]
    refused = [[turn.get("error") == "refused" for turn in each] for each in turns]
    tried = [any(each) for each in refused]
    chosen = [
        name_of(turn) in (needed or {})[row.task_id]
        for row, each in zip(own, turns, strict=True)
        if row.task_id in (needed or {})
        for turn in each
        if name_of(turn) != "submit"
    ]
    rules = [any(cheat.startswith(("never:", "must_use:")) for cheat in row.cheats) for row in own]
    latencies = sorted(row.latency_s for row in own)
    return Behaviour(
        n=len(own),
        solve_rate=_mean(solved),
        tool_choice=_mean(chosen),
        refused_rate=_mean([flag for each in refused for flag in each]),
        recovery=_mean([done for done, hit in zip(solved, tried, strict=True) if hit]),
        violation_rate=_mean(rules),
        cheat_rate=_mean([bool(row.cheats) for row in own]),
        out_of_budget_rate=_mean([(row.cause or "").startswith("budget:") for row in own]),
        mean_turns=_mean([len(each) for each in turns]),
        mean_tokens=_mean([row.n_tokens for row in own]),
        p50_latency_s=_at(latencies, 0.5),
        p95_latency_s=_at(latencies, 0.95),
    )


def within_turns(rows: Sequence[Rollout]) -> list[Point]:
    """Share of decided episodes that were solved in at most so many turns, up to the longest.

    >>> within_turns([])
    []
    """
    return _within([(len(said(row)), row) for row in rows])


def within_tokens(rows: Sequence[Rollout]) -> list[Point]:
    """Share of decided episodes that were solved with at most so many tokens of the policy's, up to the longest."""
    return _within([(row.n_tokens, row) for row in rows])


def _within(costs: Sequence[tuple[int, Rollout]]) -> list[Point]:
    own = [(cost, row.judgement is Judgement.PASS) for cost, row in costs if row.judgement.decided]
    budgets = sorted({cost for cost, solved in own})
    return [Point(most, sum(solved and cost <= most for cost, solved in own) / len(own)) for most in budgets]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _at(ordered: Sequence[float], q: float) -> float | None:
    """The value below which a share q of the ordered ones lies, the next one above it."""
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))] if ordered else None
