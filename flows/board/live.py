"""The live panel: where a line of training stands now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import marimo as mo

from flows.board.display import cards, heading, note, plain, problem, table
from flows.steps.campaigns import campaign_run
from flows.steps.monitor import panel
from warehouse.records import RunStatus
from warehouse.store import Store

RATES = ("cheat_rate", "truncated_rate", "duplicate_rate", "infra_rate", "all_right", "all_wrong")
"""Shares of the newest stage that are shown in percent."""


def live(store: Store, line: str) -> mo.Html:
    """Figures with intervals, the stage that trains, entropy and its forecast, alarms with what was done."""
    run = campaign_run(store, line)
    found = panel(store, line)
    training: Mapping[str, Any] = found["training"]  # type: ignore[assignment]
    parts: list[object] = [cards(figures(found, training))]
    if run.status is RunStatus.FAILED:
        parts.insert(0, problem(f"The run failed: {run.reason}"))
    if not training:
        parts.append(note("No training stage has begun."))
    parts += [heading("Alarms"), alarms(found["alarms"])]  # type: ignore[arg-type]
    state = "goes on" if run.status is RunStatus.STARTED else str(run.status)
    parts.append(mo.Html(f'<p class="board-quiet">The run {state}; read at {datetime.now(UTC):%H:%M:%S} UTC.</p>'))
    return mo.vstack(parts)


def figures(found: Mapping[str, Any], training: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The panel's figures: name, value, what stands beside it."""
    evaluation, entropy = found["evaluation"], found["entropy"]
    rows = [
        (name, f"{figure['value']:.3f}", f"{_range(figure)}, after stage {evaluation['stage_index']}")
        for name, figure in evaluation.items()
        if isinstance(figure, Mapping)
    ]
    if entropy:
        rows.append(("entropy in training", _figure(entropy["now"]), "nats a token"))
        if "forecast" in entropy:
            ahead = entropy["forecast"]
            rows.append((f"entropy {entropy['ahead_steps']} steps on", _figure(ahead["value"]), _range(ahead)))
        if "ceiling" in entropy:
            rows.append(("reward at no entropy", _figure(entropy["ceiling"]["value"]), _range(entropy["ceiling"])))
    if training:
        beside = " ".join(filter(None, (f"attempt {training['attempt']}", training["reason"])))
        rows.append(("stage", f"{training['stage_index']}, {training['status']}", beside))
        rows.append(("training reward", _figure(training["reward"]), f"{_count(training['n_rollouts'])} rollouts"))
        rows.append(("latency, 95th percentile", _figure(training["latency_p95_s"]), "s a rollout"))
        for name in RATES:
            share = training[name]
            rows.append((name.replace("_", " "), "–" if share is None else f"{100 * share:.1f} %", "of the stage"))
    if found["failed_stages"]:
        rows.append(("failed stages", str(found["failed_stages"]), ""))
    return rows


def alarms(found: Sequence[Mapping[str, Any]]) -> mo.Html:
    """Alarms that were raised, newest first, with what was done about each and what that changed."""
    rows = [
        {
            "stage": row["stage_index"],
            "step": row["step"],
            "detector": row["detector"],
            "level": row["level"],
            "value": plain(row["value"]),
            "actions": "; ".join(_done(action) for action in row["actions"]),
        }
        for row in reversed(found)
        if row["level"] != "clear"
    ]
    return table(rows, empty="No detector has fired.")


def _done(action: Mapping[str, Any]) -> str:
    effect = ", ".join(f"{name} {value:+.3f}" for name, value in action["effect"].items() if name.startswith("pass@"))
    return f"{action['action']}{'' if action['applied'] else ' (not applied)'}{f', then {effect}' if effect else ''}"


def _range(figure: Mapping[str, float]) -> str:
    return f"[{figure['low']:.3f}, {figure['high']:.3f}]"


def _figure(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, (int, float)) else "–"


def _count(value: object) -> str:
    return f"{value:,.0f}" if isinstance(value, (int, float)) else "no"
