"""Lines of training that the board can look at: campaigns, and the baselines they were run beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from flows.board.display import Row
from flows.report.facts import Facts, read_arm
from flows.steps.campaigns import FLOW, baseline_of
from warehouse.records import Action, Alarm, Run
from warehouse.store import Store

LONGEST = 16
"""Characters of a campaign's name in a list."""


def lines(store: Store) -> Mapping[str, str]:
    """What is shown of each line to its id, the newest first."""
    found: dict[str, str] = {}
    for run in sorted(store.read(Run, f"flow = '{FLOW}'"), key=lambda run: run.started_at, reverse=True):
        if run.campaign_id and run.campaign_id not in found.values():
            name = str(run.config.get("name") or "campaign")[:LONGEST]
            found[f"{name} {run.campaign_id[:10]}, {run.status}"] = run.campaign_id
            other = baseline_of(run)
            if other and other not in found.values():
                found[f"{name} {other[:10]}, baseline"] = other
    return found


def facts_of(store: Store, line: str, baseline: str | None = None) -> Facts:
    """The curves, plans, alarms and actions of a line; what takes long to gather is left empty."""
    arm = read_arm(store, line)
    owners = {"owners": [line, *(stage.stage_id for stage in arm.stages)]}
    return gathered(
        campaign_id=line,
        snapshot_id=store.snapshot(),
        arm=arm,
        baseline=read_arm(store, baseline) if baseline and baseline != line else None,
        alarms=tuple(store.read(Alarm, "list_contains($owners, owner)", owners)),
        actions=tuple(store.read(Action, "list_contains($owners, owner)", owners)),
    )


def gathered(**kept: Any) -> Facts:
    """Facts of which only `kept` was gathered; every other part is empty."""
    empty = {f.name: () for f in fields(Facts) if f.default is MISSING and f.default_factory is MISSING}
    return Facts(**empty | kept)


def funnel_of(store: Store, line: str | None) -> tuple[list[Row], list[Row]]:
    """What went in and out by generator, and rejections by reason: of a line, or of everything."""
    where, own = ("WHERE campaign_id = $line", {"line": line}) if line else ("", {})
    kept: list[dict[str, Any]] = store.rows(
        f"SELECT * FROM funnel {where} ORDER BY n_in DESC, generator LIMIT 1000", own
    )
    reasons = store.rows(
        f"SELECT reason, sum(n)::BIGINT AS n, sum(cost) AS cost FROM funnel_reasons {where} GROUP BY reason"
        " ORDER BY n DESC, reason LIMIT 1000",
        own,
    )
    return list(kept), list(reasons)
