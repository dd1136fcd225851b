"""What people look at in Prefect, under keys that stay: funnel, mixture plan, training health, progress, report.

Nothing here can fail a flow: what cannot be published is said once on stderr. The picture and the progress are drawn
for a real server only (`PREFECT_API_URL`); nobody looks at the embedded one while it runs.
"""

from __future__ import annotations

import base64
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from flows.steps.stage_series import stored_looks
from flows.workshop import Workshop
from warehouse.records import Alarm, AlarmLevel, JsonValue, Mixture

FUNNEL, MIXTURE, HEALTH, REPORT = "funnel", "mixture-plan", "training-health", "report"
"""Keys of the artifacts; a progress has the key `progress-` and the name of its work."""

SHOWN = ("pass@1", "pass@8", "entropy", "all_right", "all_wrong", "truncated_rate", "duplicate_rate", "stock_batches")
"""Series of the health panel, those that a campaign has."""


def show_funnel(found: Mapping[str, JsonValue]) -> None:
    """A table: attempts, admitted tasks, and the refused by reason."""
    rejected = found.get("rejected")
    reasons = rejected if isinstance(rejected, Mapping) else {}
    rows: list[dict[str, Any]] = [
        {"what": "attempts", "n": found.get("n_in")},
        {"what": "admitted", "n": found["n_out"]},
    ]
    rows += [{"what": f"refused: {reason}", "n": n} for reason, n in sorted(reasons.items())]
    _publish(lambda p: p.create_table_artifact(table=rows, key=FUNNEL, description="what went in and what came out"))


def show_mixture(row: Mixture) -> None:
    """A table: each arm's weight, and how it moved from the plan before and why."""
    arms: list[dict[str, Any]] = [
        {"arm": arm, "weight": round(weight, 4), **_moved(row.diff.get(arm))} for arm, weight in row.weights.items()
    ]
    arms += [{"arm": arm, "weight": 0.0, **_moved(row.diff[arm])} for arm in row.diff if arm not in row.weights]
    said = (
        f"stage {row.stage_index} of campaign {row.campaign_id}, {row.scheduler}, KL {row.kl:.3f} from the plan before"
    )
    _publish(lambda p: p.create_table_artifact(table=arms, key=MIXTURE, description=said))


def show_health(shop: Workshop, campaign_id: str) -> None:
    """A picture: the series that the watch reads, a panel each, with a rule at every critical alarm."""
    if not _is_seen():
        return

    def draw(prefect: Any) -> None:
        spec = health_spec(stored_looks(shop.store, campaign_id), _critical(shop, campaign_id))
        if spec is not None:
            url = "data:image/png;base64," + base64.b64encode(picture(spec)).decode()
            prefect.create_image_artifact(image_url=url, key=HEALTH, description=f"campaign {campaign_id} by stage")

    _publish(draw)


def show_report(path: Path) -> None:
    """A link to the report's file."""
    _publish(lambda p: p.create_link_artifact(link=path.resolve().as_uri(), link_text=path.name, key=REPORT))


class ProgressBar:
    """The progress of one piece of long work, for a real server."""

    def __init__(self, what: str) -> None:
        self._key = "progress-" + "".join(c if c.isalnum() else "-" for c in what.lower()).strip("-")
        self._id: UUID | None = None

    def to(self, percent: float, note: str = "") -> None:
        """Show `percent` in [0, 100]."""
        if not _is_seen():
            return

        def draw(prefect: Any) -> None:
            if self._id is None:
                self._id = prefect.create_progress_artifact(progress=percent, key=self._key, description=note)
            else:
                prefect.update_progress_artifact(artifact_id=self._id, progress=percent, description=note)

        _publish(draw)


def health_spec(looks: Mapping[int, Mapping[str, float]], critical: Mapping[int, str]) -> dict[str, Any] | None:
    """The panel as a Vega-Lite document; none without looks. `critical`: what fired, by stage."""
    names = [name for name in SHOWN if any(look.get(name, float("nan")) == look.get(name) for look in looks.values())]
    if not names:
        return None
    stage = {"field": "stage", "type": "quantitative", "axis": {"tickMinStep": 1, "title": "stage"}}
    fired = {
        "data": {"values": [{"stage": index, "alarm": name} for index, name in critical.items()]},
        "mark": {"type": "rule", "color": "#c0392b"},
        "encoding": {"x": stage},
    }
    panels = []
    for name in names:
        values = [
            {"stage": i, "value": look[name]}
            for i, look in sorted(looks.items())
            if look.get(name) == look.get(name) and name in look
        ]
        line = {
            "data": {"values": values},
            "mark": {"type": "line", "point": True},
            "encoding": {
                "x": stage,
                "y": {"field": "value", "type": "quantitative", "title": None, "scale": {"zero": False}},
            },
        }
        panels.append({"title": name.replace("_", " "), "width": 220, "height": 110, "layer": [line, fired]})
    return {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "columns": 2, "concat": panels}


def picture(spec: Mapping[str, Any]) -> bytes:
    """A Vega-Lite document as PNG."""
    import vl_convert

    return bytes(vl_convert.vegalite_to_png(dict(spec), scale=1))


def _critical(shop: Workshop, campaign_id: str) -> dict[int, str]:
    rows = shop.store.read(Alarm, "owner = $id", {"id": campaign_id})
    return {row.step: row.detector for row in rows if row.level is AlarmLevel.CRITICAL}


def _moved(change: object) -> dict[str, Any]:
    found = change if isinstance(change, Mapping) else {}
    return {"before": found.get("before"), "why": found.get("why", "")}


def _is_seen() -> bool:
    return bool(os.environ.get("PREFECT_API_URL"))


_said: set[str] = set()


def _publish(draw: Callable[[Any], object]) -> None:
    """Publish within a run; outside of one there is nothing to attach it to."""
    prefect = sys.modules.get("prefect")
    if prefect is None:
        return
    from prefect import artifacts
    from prefect.context import FlowRunContext, TaskRunContext

    from flows.brief import shown_briefly

    if FlowRunContext.get() is None and TaskRunContext.get() is None:
        return
    try:
        with shown_briefly():
            draw(artifacts)
    except Exception as error:
        line = f"an artifact could not be published: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
        if line not in _said:
            _said.add(line)
            print(line, file=sys.stderr)
