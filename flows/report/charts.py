"""The report's charts as Vega-Lite specifications that carry their data and fetch nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt

from flows.report.events import events
from flows.report.facts import Arm, Facts
from warehouse.records import Evaluation

Spec = dict[str, Any]

OWN, OTHER = "#2f6fde", "#c77b1c"
"""Colours of the campaign and of its baseline, told apart by anyone and on both backgrounds."""

HEIGHT = 210

MIXTURE_PARTS = 16
"""Families or levels drawn by name in the mixture; the rest is drawn as one."""


def charts(facts: Facts) -> dict[str, Spec]:
    """Every chart that the warehouse has data for, by name."""
    found: dict[str, Spec | None] = {
        "pass_at_1": _curve(facts, "pass@1", bounded=True),
        "pass_at_k": _curve(facts, facts.wide or "pass@8", bounded=True),
        "entropy": _curve(facts, "entropy", bounded=False),
        "tokens": _curve(facts, "tokens", bounded=False),
        "reward_steps": _steps(facts, "reward"),
        "entropy_steps": _steps(facts, "entropy"),
        "mixture_families": _mixture(facts.arm, 0, "family"),
        "mixture_levels": _mixture(facts.arm, 1, "level"),
        "heat_before": _heat(facts.arm, Arm.start),
        "heat_after": _heat(facts.arm, Arm.end),
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
        x=alt.X(
            "stage:Q",
            title="after stage",
            axis=alt.Axis(values=stages, format="d", labelFlush=False),
            scale=alt.Scale(domain=[stages[0], max(stages[-1], stages[0] + 1)], padding=16, nice=False),
        )
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
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("step:Q", title="optimizer step", axis=alt.Axis(labelFlush=False, tickMinStep=1)),
        color=_colour(list(arms)),
    )
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


def _mixture(arm: Arm, part: int, title: str) -> Spec | None:
    """Stacked shares of the mixture by one part of the arms' names: 0 is the family, 1 the level."""
    plans = [(plan.stage_index, _shares(plan.weights, part)) for plan in arm.mixtures]
    if not plans:
        return None
    total: dict[str, float] = defaultdict(float)
    for _, shares in plans:
        for name, weight in shares.items():
            total[name] += weight
    large = sorted(total, key=lambda name: -total[name])[:MIXTURE_PARTS]
    shown = sorted(large, key=_natural) + (["others"] if len(total) > len(large) else [])
    rows = [
        {"edge": stage + edge, "part": name, "rank": rank, "weight": _share(shares, name, large)}
        for stage, shares in plans
        for rank, name in enumerate(shown)
        for edge in (-0.5, 0.499)
    ]
    stages = [stage for stage, _ in plans]
    scale = alt.Scale(domain=[stages[0] - 0.5, stages[-1] + 0.5], nice=False)
    colours = alt.Scale(domain=shown, scheme="tableau20" if part == 0 else "viridis")
    area = (
        alt.Chart(alt.Data(values=rows))
        .mark_area()
        .encode(
            x=alt.X("edge:Q", title="stage", scale=scale, axis=alt.Axis(values=stages, format="d", grid=False)),
            y=alt.Y("weight:Q", title="share", stack="zero", scale=alt.Scale(domain=[0, 1], nice=False)),
            color=alt.Color(
                "part:N",
                sort=shown,
                scale=colours,
                legend=alt.Legend(title=title, orient="bottom", columns=4, labelLimit=110),
            ),
            order=alt.Order("rank:Q"),
            tooltip=[alt.Tooltip("part:N", title=title), alt.Tooltip("weight:Q", format=".3f")],
        )
    )
    return _spec(area, height=240)


def _shares(weights: Mapping[str, float], part: int) -> dict[str, float]:
    shares: dict[str, float] = defaultdict(float)
    for arm, weight in weights.items():
        shares[[*arm.split("/"), ""][part] or "none"] += weight
    return shares


def _share(shares: Mapping[str, float], name: str, large: Sequence[str]) -> float:
    if name in large:
        return shares.get(name, 0.0)
    return sum(weight for other, weight in shares.items() if other not in large)


def _natural(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdigit() else (0, name)


def _heat(arm: Arm, side: Callable[[Arm, str, str], Evaluation | None]) -> Spec | None:
    """pass@1 by family and level after one evaluation; arms of several sources count by their tasks."""
    cells: dict[tuple[str, int], list[Evaluation]] = defaultdict(list)
    for group in sorted({e.group for e in arm.evaluations if e.group.startswith("arm:")}):
        family, level, _ = group.removeprefix("arm:").split("/", 2)
        figure = side(arm, "pass@1", group)
        cells[family, int(level)] += [figure] if figure else []
    sizes = {cell: sum(e.n for e in found) for cell, found in cells.items()}
    rows = [
        {
            "family": cell[0],
            "level": cell[1],
            "value": sum(e.value * e.n for e in found) / sizes[cell],
            "n": sizes[cell],
        }
        for cell, found in cells.items()
        if sizes[cell]
    ]
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
    text = base.mark_text(fontSize=10).encode(
        text=alt.Text("value:Q", format=".2f"),
        color=alt.condition("datum.value > 0.55", alt.value("#111111"), alt.value("#ffffff")),
    )
    return _spec(alt.layer(cell, text), height=26 * len({row["family"] for row in rows}))


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
        y=alt.Y("step:N", sort=order, title=None, axis=alt.Axis(labelLimit=300)),
        x=alt.X(
            "n:Q", title="attempts", scale=alt.Scale(domain=[0, n_in * 1.3], nice=False), axis=alt.Axis(tickCount=5)
        ),
    )
    text = base.mark_text(align="left", dx=4).encode(text=alt.Text("n:Q", format=","))
    return _spec(
        alt.layer(base.mark_bar().encode(color=colour, tooltip=["step:N", "n:Q"]), text), height=24 * len(rows)
    )


def _events(facts: Facts) -> Spec | None:
    rows = [{name: event[name] for name in ("step", "where", "what", "kind")} for event in events(facts)]
    if not rows:
        return None
    kinds = ["warn", "critical", "clear", "action"]
    end = max(1, sum(stage.n_steps for stage in facts.arm.trained), *(row["step"] for row in rows))
    marks = (
        alt.Chart(alt.Data(values=rows))
        .mark_point(size=110, filled=True, opacity=0.85)
        .encode(
            x=alt.X(
                "step:Q",
                title="optimizer step",
                scale=alt.Scale(domain=[0, end], padding=10, nice=False),
                axis=alt.Axis(labelFlush=False, tickCount=8),
            ),
            y=alt.Y("what:N", title=None, axis=alt.Axis(labelLimit=150)),
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(domain=kinds, range=["#d9a21b", "#c2382d", "#3a8f55", OWN]),
                legend=alt.Legend(title=None, orient="bottom", columns=2),
            ),
            shape=alt.Shape(
                "kind:N",
                scale=alt.Scale(domain=kinds, range=["triangle-up", "diamond", "circle", "square"]),
                legend=None,
            ),
            tooltip=["kind:N", "what:N", "where:N"],
        )
    )
    return _spec(marks, height=30 * len({row["what"] for row in rows}) + 20)


def _spec(chart: alt.Chart | alt.LayerChart, height: int = HEIGHT) -> Spec:
    spec: Spec = chart.properties(width="container", height=height).to_dict()
    spec.pop("config", None)
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return spec
