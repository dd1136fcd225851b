"""Funnel and collapse monitor: what went in and came out, and how curves, alarms and actions lie in time."""

from __future__ import annotations

from dataclasses import replace

import marimo as mo

from flows.board.display import cards, charts, heading, note, plain, table
from flows.board.lines import facts_of, funnel_of, gathered
from flows.report.charts import charts as charts_of
from flows.report.events import events
from flows.report.facts import Arm
from warehouse.store import Store

CURVES = {
    "pass_at_1": "pass@1 on held-out tasks",
    "pass_at_k": "pass@k on held-out tasks",
    "entropy": "Entropy in evaluation, nats a token",
    "entropy_steps": "Entropy in training, nats a token",
    "reward_steps": "Reward in training",
    "events": "Alarms and actions",
    "tokens": "Tokens a completion",
    "mixture_levels": "Mixture by level",
    "mixture_families": "Mixture by family",
    "heat_after": "pass@1 by family and level, newest",
}
"""Charts of the collapse monitor, in their order, with their titles."""


def funnel(store: Store, line: str | None) -> mo.Html:
    """Attempts, admissions and rejections by reason and by generator; of everything without a line."""
    kept, reasons = funnel_of(store, line)
    if not kept:
        return note("No attempt to make a task is in this warehouse for that choice.")
    n_in, n_out = (sum(int(row[name]) for row in kept) for name in ("n_in", "n_out"))
    whole = gathered(
        campaign_id=line or "",
        arm=Arm(line or "", (), (), (), ()),
        baseline=None,
        funnel=tuple(kept),
        reasons=tuple(reasons),
    )
    spent = sum(float(row["cost"] or 0) for row in kept)
    figures = [
        ("attempts", f"{n_in:,}", f"{len(kept):,} generators and versions"),
        ("admitted", f"{n_out:,}", f"{100 * n_out / n_in:.1f} %"),
        ("rejected", f"{n_in - n_out:,}", f"{len(reasons)} reasons"),
        ("cost", f"{spent:,.1f}", "CPU-s"),
    ]
    columns = (
        "generator",
        "generator_version",
        "generator_kind",
        "generator_lineage",
        "n_in",
        "n_out",
        "n_rejected",
        "cost",
    )
    return mo.vstack(
        [
            cards(figures),
            charts([("From attempts to tasks", charts_of(whole).get("funnel"))]),
            heading("By generator"),
            table([{name: plain(row[name]) for name in columns} for row in kept], empty=""),
            heading("By reason"),
            table(reasons, empty="Nothing was rejected."),
        ]
    )


def collapse(store: Store, line: str, baseline: str | None) -> mo.Html:
    """Curves with intervals, alarms and actions on the time axis, and each of those in words."""
    facts = facts_of(store, line, baseline)
    if facts.baseline is not None and not (facts.baseline.stages or facts.baseline.evaluations):
        facts = replace(facts, baseline=None)
    drawn = charts_of(facts)
    if not drawn:
        return note("No evaluation, metric or plan of that line is in this warehouse yet.")
    rows = [
        {
            "step": event["step"],
            "kind": event["kind"],
            "what": event["what"],
            "detail": _told(event["detail"]),
            "effect": _told(event["effect"]),
        }
        for event in events(facts)
    ]
    return mo.vstack(
        [
            charts([(title, drawn.get(name)) for name, title in CURVES.items()]),
            heading("Alarms and actions"),
            table(rows, empty="No detector has fired."),
        ]
    )


def _told(values: dict[str, object]) -> str:
    return ", ".join(f"{name} {plain(value)}" for name, value in values.items() if value not in (None, {}, []))
