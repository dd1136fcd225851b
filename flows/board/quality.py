"""Grader conflicts, and the comparison of two policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import marimo as mo

from flows.board.desk import Desk
from flows.board.display import cards, charts, heading, note, pairs, table
from flows.report.charts import HEIGHT, OWN
from flows.steps.comparison import compare_policies
from flows.steps.grading import conflict_matrix
from warehouse.store import Store

METRICS = ("pass@1", "pass@2", "pass@4", "pass@8", "pass@16")

WORST = 40
"""Pairs of graders that are drawn."""


def conflicts(desk: Desk) -> mo.Html:
    """Pairs of graders by bucket: how often they rank a group's completions in opposite order, and over which tasks."""
    cells = conflict_matrix(desk.settings)
    if not cells:
        return note("No stored rollout has more than one grader's part, so none can disagree.")
    rows = [
        {
            "graders": f"{cell['first']} / {cell['second']}",
            "bucket": cell["bucket"],
            "flip rate": cell["flip_rate"],
            "correlation": cell["correlation"],
            "flips": cell["n_flips"],
            "rollouts": cell["n"],
            "tasks": ", ".join(str(task)[:12] for task in _tasks(cell)[:3]),
        }
        for cell in cells
    ]
    return mo.vstack(
        [
            charts([("Share of opposite rankings", _matrix(rows[:WORST]))]),
            heading("Pairs of graders, the worst first"),
            table(rows, empty=""),
        ]
    )


def _tasks(cell: Mapping[str, object]) -> Sequence[object]:
    tasks = cell["tasks"]
    return tasks if isinstance(tasks, (list, tuple)) else ()


def _matrix(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    height = 26 * len({row["graders"] for row in rows})
    base = alt.Chart(alt.Data(values=[{**row, "flip_rate": row["flip rate"]} for row in rows])).encode(
        x=alt.X("bucket:N", title=None, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("graders:N", title=None, sort=None, axis=alt.Axis(labelLimit=150)),
    )
    colour = alt.Color("flip_rate:Q", title="flip rate", scale=alt.Scale(domain=[0, 1], scheme="viridis"), legend=None)
    figure = base.mark_text(fontSize=11).encode(
        text=alt.Text("flip_rate:Q", format=".2f"),
        color=alt.condition("datum.flip_rate > 0.55", alt.value("#111111"), alt.value("#ffffff")),
    )
    return _spec(alt.layer(base.mark_rect(cornerRadius=2).encode(color=colour), figure), height)


def policies(store: Store) -> Mapping[str, str]:
    """Evaluated policies, the newest first: what is shown to the id."""
    rows = store.rows(
        "SELECT p.policy_id, p.name, any_value(e.stage_index) AS stage FROM current_policies AS p"
        " JOIN evals AS e USING (policy_id) GROUP BY p.policy_id, p.name, p.nth ORDER BY p.nth DESC"
    )
    return {
        f"{row['name']} {row['policy_id'][:12]}"
        + ("" if row["stage"] is None else f", after stage {row['stage']}"): row["policy_id"]
        for row in rows
    }


def pair(evaluated: Mapping[str, str], families: Sequence[str]) -> mo.ui.dictionary:
    """The controls of a comparison: the oldest policy and the newest to begin with."""
    names = list(evaluated)
    return mo.ui.dictionary(
        {
            "a": mo.ui.dropdown(dict(evaluated), value=names[-1] if names else None, label="policy A", full_width=True),
            "b": mo.ui.dropdown(dict(evaluated), value=names[0] if names else None, label="policy B", full_width=True),
            "metric": mo.ui.dropdown(METRICS, value=METRICS[0], label="metric", full_width=True),
            "family": mo.ui.dropdown(
                {"every": None, **{name: name for name in families}}, value="every", label="family", full_width=True
            ),
            "force": mo.ui.checkbox(label="also under different protocols"),
        }
    )


def comparison(store: Store, chosen: Mapping[str, Any]) -> mo.Html:
    """B minus A on the tasks that both were evaluated on, in words, as an interval, and figure by figure."""
    a, b, metric = str(chosen["a"]), str(chosen["b"]), str(chosen["metric"])
    families = [str(chosen["family"])] if chosen["family"] else []
    found = compare_policies(store, a, b, metric=metric, families=families, force=bool(chosen["force"]))
    difference, low, high = (float(str(found[name])) for name in ("difference", "low", "high"))
    figures = [
        (f"{metric}, B minus A", f"{difference:+.3f}", f"95 % interval [{low:+.3f}, {high:+.3f}]"),
        ("verdict", str(found["verdict"]), f"p = {float(str(found['p_value'])):.3g}"),
        ("held-out tasks", f"{found['n']:,}", f"in {found['n_clusters']} clusters"),
    ]
    row = {"what": "B minus A", "difference": difference, "low": low, "high": high}
    rest = {
        name: value for name, value in found.items() if name not in ("difference", "low", "high", "verdict", "p_value")
    }
    return mo.vstack(
        [
            cards(figures),
            charts([("Difference with its interval; at 0 they are alike", _interval(row))]),
            heading("Behind it"),
            pairs({**rest, "policy A": a, "policy B": b}),
        ]
    )


def _interval(row: Mapping[str, object]) -> dict[str, Any]:
    reach = max(abs(float(str(row[end]))) for end in ("low", "high")) * 1.15 or 0.1
    axis = alt.X("difference:Q", title=None, scale=alt.Scale(domain=[-reach, reach], nice=False))
    base = alt.Chart(alt.Data(values=[dict(row)])).encode(y=alt.Y("what:N", title=None))
    bar = base.mark_rule(strokeWidth=3, color=OWN).encode(
        x=alt.X("low:Q", title=None, scale=alt.Scale(domain=[-reach, reach], nice=False)), x2="high:Q"
    )
    point = base.mark_point(filled=True, size=120, color=OWN, opacity=1).encode(
        x=axis, tooltip=["low:Q", "difference:Q", "high:Q"]
    )
    none = alt.Chart(alt.Data(values=[{"at": 0}])).mark_rule(strokeDash=[4, 4], color="#7d8797").encode(x="at:Q")
    return _spec(alt.layer(none, bar, point), HEIGHT // 3)


def _spec(drawn: alt.LayerChart, height: int) -> dict[str, Any]:
    spec: dict[str, Any] = drawn.properties(width="container", height=height).to_dict()
    spec.pop("config", None)
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return spec
