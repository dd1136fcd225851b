"""What verbs print: one JSON value on stdout under `--json`, tables for people, everything else on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.cli.boundary import is_unicode

HEADLINE = ("entropy", "tokens")
"""Figures of an evaluation that a terminal shows beside pass@k."""
BLOCKS, NARROW = 60, 10
"""Rows that are shown as blocks at most, and the width that a cell of a table needs at most."""


def print_json(value: object) -> None:
    """Print `value` as one JSON value on stdout; NaN becomes null, times ISO 8601."""
    sys.stdout.write(json.dumps(_plain(value), ensure_ascii=not is_unicode(sys.stdout)) + "\n")
    sys.stdout.flush()


def print_table(rows: Sequence[Mapping[str, object]], *, title: str | None = None) -> None:
    """Print `rows` as a table on stdout, with the columns of all of them.

    Where it would not fit, each row is a block, the first `BLOCKS` of them; what is left out is told on stderr.
    """
    console = Console()
    if not rows:
        console.print("no rows" if title is None else f"{title}: no rows")
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    if _width(names, rows) > console.width:
        _print_blocks(console, names, rows[:BLOCKS], title)
        if len(rows) > BLOCKS:
            say(f"these are the first {BLOCKS} of {len(rows)} rows, which do not fit side by side; --json prints all")
        return
    table = Table(title=title, title_justify="left", header_style="bold", show_edge=False)
    for name in names:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(row.get(name))) for name in names))
    console.print(table)


def _print_blocks(
    console: Console, names: Sequence[str], rows: Sequence[Mapping[str, object]], title: str | None
) -> None:
    for place, row in enumerate(rows):
        table = Table(title=title if place == 0 else None, title_justify="left", show_header=False, show_edge=False)
        for name in names:
            if name in row:
                table.add_row(Text(name, style="bold"), Text(_cell(row[name])))
        console.print(table)
        console.print("")


def _width(names: Sequence[str], rows: Sequence[Mapping[str, object]]) -> int:
    """Characters that a table takes at least: its headers whole, and of its cells no more than `NARROW` each."""
    cells = [max(min(NARROW, len(_cell(row.get(name)))) for row in rows) for name in names]
    return sum(max(len(name), cell) + 3 for name, cell in zip(names, cells, strict=True))


def say(message: str) -> None:
    """Print a line for people on stderr."""
    Console(stderr=True, highlight=False).print(message, soft_wrap=True)


def print_summary(result: Mapping[str, Any]) -> None:
    """Print a campaign's result: figures before and after, what changed task by task, and where the report is."""
    sides = {"before": result["before"], "after": result["after"]}
    if "baseline" in result:
        sides[f"after, {result['baseline']['scheduler']}"] = result["baseline"]["after"]
    rows = [
        {"metric": name, **{side: interval(figures.get(name)) for side, figures in sides.items()}}
        for name in result["before"]
    ]
    print_table(rows, title="held-out tasks")
    compared = [("after against before", result.get("change", {}))]
    if "baseline" in result:
        name = result["baseline"]["scheduler"]
        compared.append((f"after against {name}'s", result["baseline"].get("against", {})))
    rows = [
        {"metric": metric, "compared": sides, "difference": difference(change), "verdict": change["verdict"]}
        for sides, found in compared
        for metric, change in found.items()
    ]
    if rows:
        print_table(rows, title="task by task")
    for group, figures in result.get("groups", {}).items():
        rows = [
            {"metric": name, **{side: interval(figures[side].get(name)) for side in ("before", "after")}}
            for name in figures["before"]
        ]
        print_table(rows, title=f"group {group}")
    for way, found in result.get("written", {}).items():
        wrong = interval(found["admitted_wrong"]) if found["n_admitted"] else "none"
        text = f"tasks that a model wrote, verification {way}: {found['n_admitted']} admitted, wrong among them {wrong}"
        Console().print(text, soft_wrap=True)
    for name, found in result.get("sources", {}).items():
        text = f"{name}: the policy can read {found['within_reach']} of {found['tasks']} tasks"
        Console().print(text + ("" if found["within_reach"] else "; out of its reach, not trained on"), soft_wrap=True)
    Console().print(f"report: {result['report']}", soft_wrap=True)


def print_report(written: Mapping[str, Any]) -> None:
    """Print a report's figures, and its path on a line of its own that no terminal breaks."""
    before, after = (written[side] or {} for side in ("before", "after"))
    rows = [{"metric": name, "before": interval(before[name]), "after": interval(after.get(name))} for name in before]
    print_table(
        rows, title=f"campaign {written['campaign_id'][:8]} at snapshot {written['snapshot_id']}, held-out tasks"
    )
    Console().print(str(written["report"]), soft_wrap=True)


def number(value: float) -> str:
    """A number in four digits, large ones in full.

    >>> number(12800.0), number(0.12345)
    ('12800', '0.1235')
    """
    return f"{value:.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def headline(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Of an evaluation's figures those that a terminal shows; `--json` holds all."""
    return {name: figure for name, figure in figures.items() if name.startswith("pass@") or name in HEADLINE}


def interval(figure: Mapping[str, float] | None) -> str:
    """A figure with its interval, e.g. `0.41 [0.36, 0.46]`."""
    if figure is None:
        return ""
    return f"{figure['value']:.3f} [{figure['low']:.3f}, {figure['high']:.3f}]"


def difference(change: Mapping[str, float]) -> str:
    """A paired difference with its own interval, e.g. `+0.183 [0.122, 0.244]`."""
    return f"{change['difference']:+z.3f} [{change['low']:z.3f}, {change['high']:z.3f}]"


class Output:
    """Prints a result either as JSON or as people read it."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def rows(self, rows: Iterable[Mapping[str, object]], *, title: str | None = None) -> None:
        """Print many rows."""
        found = list(rows)
        if self.as_json:
            print_json(found)
        else:
            print_table(found, title=title)

    def value(self, value: Mapping[str, object], *, title: str | None = None) -> None:
        """Print one object: its JSON, or its fields line by line."""
        if self.as_json:
            print_json(value)
        else:
            print_table([{"what": key, "value": item} for key, item in value.items()], title=title)


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, (str, int, bool)) or value is None:
        return value
    return str(value)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return number(value)
    if isinstance(value, (Mapping, list, tuple)):
        return json.dumps(_plain(value), ensure_ascii=False)
    return "" if value is None else str(value)
