"""The report's charts as Vega-Lite specifications that carry their data and fetch nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from flows.report.facts import Arm, Facts

Spec = dict[str, Any]

OWN, OTHER = "#2f6fde", "#c77b1c"
"""Colours of the campaign and of its baseline, told apart by anyone and on both backgrounds."""

HEIGHT = 210

MIXTURE_ARMS = 11
"""Arms drawn by name in the mixture; the rest is drawn as one."""


def charts(facts: Facts) -> dict[str, Spec]:
    """Every chart that the warehouse has data for, by name."""
    found: dict[str, Spec | None] = {
        "pass_at_1": _curve(facts, "pass@1", bounded=True),
        "pass_at_k": _curve(facts, facts.arm.pass_at_k() or "pass@8", bounded=True),
        "entropy": _curve(facts, "entropy", bounded=False),
        "tokens": _curve(facts, "tokens", bounded=False),
        "reward_steps": _steps(facts, "reward"),
        "entropy_steps": _steps(facts, "entropy"),
        "mixture": _mixture(facts.arm),
        "heat_before": _heat(facts.arm, 0),
        "heat_after": _heat(facts.arm, -1),
        "funnel": _funnel(facts),
        "events": _events(facts),
    }
    return {name: spec for name, spec in found.items() if spec is not None}


def _colour(names: Sequence[str]) -> alt.Color:
    legend = alt.Legend(title=None, orient="top") if len(names) > 1 else None
    return alt.Color("arm:N", scale=alt.Scale(domain=list(names), range=[OWN, OTHER][: len(names)]), legend=legend)


def names(facts: Facts) -> dict[str, Arm]:
    """The arms that the report compares, by the name of their scheduler."""
    own = facts.arm.scheduler or "campaign"
    if facts.baseline is None:
        return {own: facts.arm}
    other = facts.baseline.scheduler or "baseline"
    return {own: facts.arm, other if other != own else f"{other} (baseline)": facts.baseline}


def _curve(facts: Facts, metric: str, *, bounded: bool) -> Spec | None:
    arms = names(facts)
    rows = [
        {"arm": name, "stage": e.stage_index, "value": e.value, "low": e.low, "high": e.high, "tasks": e.n}
        for name, arm in arms.items()
        for e in arm.figures(metric)
    ]
    if not rows:
        return None
    scale = alt.Scale(domain=[0, 1]) if bounded else alt.Scale(zero=False, nice=True)
    stages = sorted({int(row["stage"] or 0) for row in rows})
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("stage:Q", title="after stage", axis=alt.Axis(values=stages, format="d"))
    )
    line = base.mark_line(point=alt.OverlayMarkDef(size=50), strokeWidth=2.5).encode(
        y=alt.Y("value:Q", title=metric, scale=scale), color=_colour(list(arms)), tooltip=_tooltips(metric)
    )
    band = base.mark_errorbar(ticks=True, thickness=1.5).encode(
        y=alt.Y("low:Q", title=metric, scale=scale), y2="high:Q", color=_colour(list(arms))
    )
    return _spec(alt.layer(band, line))


def _tooltips(metric: str) -> list[alt.Tooltip]:
    figures = [alt.Tooltip(f"{name}:Q", format=".3f") for name in ("low", "high")]
    return ["arm:N", "stage:Q", alt.Tooltip("value:Q", title=metric, format=".3f"), *figures, "tasks:Q"]


def _steps(facts: Facts, name: str) -> Spec | None:
    arms = names(facts)
    rows = [{"arm": label, **row} for label, arm in arms.items() for row in _thin(arm.series, name)]
    if not rows:
        return None
    base = alt.Chart(alt.Data(values=rows)).encode(x=alt.X("step:Q", title="optimizer step"), color=_colour(list(arms)))
    title = "training reward" if name == "reward" else f"training {name}"
    points = base.mark_point(size=10, opacity=0.3, filled=True).encode(y=alt.Y("value:Q", title=title))
    smooth = (
        base.transform_window(smooth="mean(value)", frame=[-5, 5], groupby=["arm"])
        .mark_line(strokeWidth=2.5)
        .encode(y=alt.Y("smooth:Q", title=title), tooltip=["arm:N", "step:Q", alt.Tooltip("value:Q", format=".3f")])
    )
    return _spec(alt.layer(points, smooth))


def _thin(series: Sequence[Mapping[str, Any]], name: str, most: int = 600) -> list[Mapping[str, Any]]:
    rows = [row for row in series if row["name"] == name]
    return rows[:: max(1, -(-len(rows) // most))]


def _mixture(arm: Arm) -> Spec | None:
    if not arm.mixtures:
        return None
    total: dict[str, float] = {}
    for plan in arm.mixtures:
        for name, weight in plan.weights.items():
            total[name] = total.get(name, 0.0) + weight
    large = sorted(total, key=lambda name: -total[name])[:MIXTURE_ARMS]
    shown = [*large, "other arms"] if len(total) > len(large) else large
    rows = []
    for plan in arm.mixtures:
        for name in shown:
            weight = (
                plan.weights.get(name, 0.0)
                if name in total
                else sum(w for other, w in plan.weights.items() if other not in large)
            )
            rows += [{"edge": plan.stage_index - 0.5, "arm": name, "weight": weight}]
            rows += [{"edge": plan.stage_index + 0.499, "arm": name, "weight": weight}]
    area = (
        alt.Chart(alt.Data(values=rows))
        .mark_area(line=False)
        .encode(
            x=alt.X(
                "edge:Q",
                title="stage",
                axis=alt.Axis(values=[plan.stage_index for plan in arm.mixtures], format="d"),
            ),
            y=alt.Y("weight:Q", title="share of the mixture", stack="zero", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color(
                "arm:N",
                sort=shown,
                scale=alt.Scale(scheme="tableau20"),
                legend=alt.Legend(title=None, orient="bottom", columns=3, labelLimit=160),
            ),
            order=alt.Order("arm:N"),
            tooltip=["arm:N", alt.Tooltip("weight:Q", format=".3f")],
        )
    )
    return _spec(area, height=280)


def _heat(arm: Arm, place: int) -> Spec | None:
    rows = []
    for group in sorted({e.group for e in arm.evaluations if e.group.startswith("arm:")}):
        family, level, _ = group.removeprefix("arm:").split("/", 2)
        figures = arm.figures("pass@1", group)
        if figures:
            rows.append({"family": family, "level": int(level), "value": figures[place].value, "n": figures[place].n})
    if not rows:
        return None
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("level:O", title="level", axis=alt.Axis(labelAngle=0)), y=alt.Y("family:N", title=None)
    )
    cell = base.mark_rect(cornerRadius=2).encode(
        color=alt.Color(
            "value:Q",
            title="pass@1",
            scale=alt.Scale(domain=[0, 1], scheme="viridis"),
            legend=alt.Legend(orient="bottom", gradientLength=160),
        ),
        tooltip=["family:N", "level:O", alt.Tooltip("value:Q", title="pass@1", format=".3f"), "n:Q"],
    )
    figure = base.mark_text(fontSize=10).encode(
        text=alt.Text("value:Q", format=".2f"),
        color=alt.condition("datum.value > 0.55", alt.value("#111111"), alt.value("#ffffff")),
    )
    return _spec(alt.layer(cell, figure), height=26 * len({row["family"] for row in rows}))


def _funnel(facts: Facts) -> Spec | None:
    n_in = sum(int(row["n_in"]) for row in facts.funnel)
    if not n_in:
        return None
    rows = [{"step": "attempts", "n": n_in, "kind": "in"}]
    rows += [
        {"step": str(row["reason"] or "no reason"), "n": int(row["n"]), "kind": "rejected"}
        for row in facts.reasons[:12]
    ]
    rest = sum(int(row["n"]) for row in facts.reasons[12:])
    rows += [{"step": "other reasons", "n": rest, "kind": "rejected"}] if rest else []
    rows.append({"step": "admitted", "n": sum(int(row["n_out"]) for row in facts.funnel), "kind": "out"})
    order = [row["step"] for row in rows]
    colour = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=["in", "rejected", "out"], range=["#7d8797", "#c2543d", "#3a8f55"]),
        legend=None,
    )
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("step:N", sort=order, title=None, axis=alt.Axis(labelLimit=170)),
        x=alt.X("n:Q", title="attempts", scale=alt.Scale(domain=[0, n_in * 1.15], nice=False)),
    )
    text = base.mark_text(align="left", dx=4).encode(text=alt.Text("n:Q", format=","))
    return _spec(
        alt.layer(base.mark_bar().encode(color=colour, tooltip=["step:N", "n:Q"]), text), height=24 * len(rows)
    )


def _events(facts: Facts) -> Spec | None:
    rows = [{"step": event["step"], "what": event["what"], "kind": event["kind"]} for event in events(facts)]
    if not rows:
        return None
    kinds = ["warn", "critical", "action"]
    marks = (
        alt.Chart(alt.Data(values=rows))
        .mark_point(size=110, filled=True, opacity=0.85)
        .encode(
            x=alt.X("step:Q", title="optimizer step of the campaign"),
            y=alt.Y("what:N", title=None, axis=alt.Axis(labelLimit=170)),
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(domain=kinds, range=["#d9a21b", "#c2382d", OWN]),
                legend=alt.Legend(title=None, orient="top"),
            ),
            shape=alt.Shape(
                "kind:N", scale=alt.Scale(domain=kinds, range=["triangle-up", "diamond", "square"]), legend=None
            ),
            tooltip=["kind:N", "what:N", "step:Q"],
        )
    )
    return _spec(marks, height=30 * len({row["what"] for row in rows}) + 20)


def events(facts: Facts) -> list[dict[str, Any]]:
    """Alarms and actions in order of the campaign's steps; an event of the campaign itself comes at the end."""
    starts = facts.arm.starts
    end = sum(stage.n_steps for stage in facts.arm.trained)
    place: dict[str, int] = {}
    found = []
    for alarm in facts.alarms:
        place[alarm.alarm_id] = starts.get(alarm.owner, end) + (alarm.step if alarm.owner in starts else 0)
        if alarm.level != "clear":
            found.append(
                {
                    "step": place[alarm.alarm_id],
                    "what": alarm.detector,
                    "kind": str(alarm.level),
                    "detail": dict(alarm.inputs),
                    "effect": {},
                }
            )
    for action in facts.actions:
        step = place.get(action.alarm_id or "", starts.get(action.owner, end))
        change = {"before": dict(action.before), "after": dict(action.after), "applied": action.applied}
        found.append(
            {"step": step, "what": action.action, "kind": "action", "detail": change, "effect": dict(action.effect)}
        )
    return sorted(found, key=lambda event: (event["step"], event["kind"] == "action", event["what"]))


def _spec(chart: alt.Chart | alt.LayerChart, height: int = HEIGHT) -> Spec:
    spec: Spec = chart.properties(width="container", height=height).to_dict()
    spec.pop("config", None)
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return spec
