"""`gradatim watch`: a campaign's pulse in the terminal."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.options import AsJson, home_of
from flows.cli.output import headline, interval, number, print_json

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

EVERY_S = 3.0
"""Seconds between two readings."""

COLOUR = {"clear": "green", "warn": "yellow", "critical": "red"}


def command(
    context: typer.Context,
    campaign: Annotated[
        str | None, typer.Option(help="Campaign or baseline id, or its first characters; the newest without one.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Show it once instead of until the run ends.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show pass@k, entropy and its forecast, groups without gradient, alarms and what was done about them.

    Example: gradatim watch --once
    """
    from rich.console import Console
    from rich.live import Live

    found, running = _read(home_of(context), campaign)
    if as_json:
        print_json(found)
    elif once or not running:
        Console().print(_drawn(found))
    else:
        with Live(_drawn(found), console=Console(), auto_refresh=False) as live:
            while running:
                time.sleep(EVERY_S)
                found, running = _read(home_of(context), campaign)
                live.update(_drawn(found), refresh=True)


def _read(home: Path, campaign: str | None) -> tuple[Mapping[str, Any], bool]:
    """The panel, and whether the campaign's newest run has not ended."""
    from flows.settings import prepared
    from flows.steps.campaigns import campaign_run, line_of
    from flows.steps.monitor import panel
    from flows.workshop import open_store
    from warehouse.records import RunStatus

    with open_store(prepared(home), read_only=True) as store:
        run = campaign_run(store, campaign)
        return panel(store, line_of(run, campaign)), run.status is RunStatus.STARTED


def _drawn(found: Mapping[str, Any]) -> RenderableType:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    figures = Table(show_header=False, show_edge=False, box=None)
    for name, value in _lines(found):
        figures.add_row(Text(name, style="bold"), Text(value))
    alarms = Table(title="alarms", title_justify="left", header_style="bold", show_edge=False)
    for name in ("stage", "detector", "level", "value", "done"):
        alarms.add_column(name, overflow="fold")
    for row in found["alarms"]:
        level = Text(row["level"], style=COLOUR[row["level"]])
        alarms.add_row(_place(row), row["detector"], level, _short(row["value"]), "; ".join(map(_done, row["actions"])))
    return Group(Text(f"campaign {found['campaign_id']}"), figures, alarms if found["alarms"] else Text("no alarms"))


def _lines(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    evaluation, training, entropy = found["evaluation"], found["training"], found["entropy"]
    lines = [
        (f"{name}, after stage {evaluation['stage_index']}", interval(figure))
        for name, figure in headline(evaluation).items()
    ]
    if entropy:
        lines.append(("entropy in training", _short(entropy["now"])))
        if "forecast" in entropy:
            lines.append((f"entropy {entropy['ahead_steps']} steps on", interval(entropy["forecast"])))
        if "ceiling" in entropy:
            lines.append(("reward at no entropy", interval(entropy["ceiling"])))
    if training:
        groups = f"all right {_short(training['all_right'])}, all wrong {_short(training['all_wrong'])}"
        lines += [
            (f"stage {training['stage_index']}", " ".join(filter(None, (training["status"], training["reason"])))),
            ("groups without gradient", groups),
            *((name.replace("_", " "), _short(training[name])) for name in training if name in SHOWN),
        ]
    if found["failed_stages"]:
        lines.append(("failed stages", str(found["failed_stages"])))
    return lines


SHOWN = ("n_rollouts", "reward", "n_tokens", "latency_p95_s", "cheat_rate", "truncated_rate", "infra_rate")
"""What is shown of a stage's training rollouts, beside the groups without gradient."""


def _place(row: Mapping[str, Any]) -> str:
    return str(row["stage_index"]) if row["step"] is None else f"{row['stage_index']}, step {row['step']}"


def _done(action: Mapping[str, Any]) -> str:
    effect = ", ".join(f"{name} {value:+.3f}" for name, value in action["effect"].items() if name.startswith("pass@"))
    return f"{action['action']}{'' if action['applied'] else ' (not applied)'}{f' -> {effect}' if effect else ''}"


def _short(value: object) -> str:
    return number(value) if isinstance(value, (int, float)) else "-"
