"""How the board shows what it found: cards, tables, charts, and errors as one line instead of a traceback."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import altair as alt
import marimo as mo

from warehouse.errors import GradatimError

Row = Mapping[str, Any]

ROWS = 20
"""Rows that a table shows before it turns pages."""


def shown(work: Callable[[], object]) -> mo.Html:
    """What `work` returns; its error as a sentence where it raises one of ours."""
    try:
        return mo.as_html(work())
    except GradatimError as error:
        return problem(str(error))


def problem(text: str) -> mo.Html:
    """A sentence about what went wrong."""
    return _box(text, "problem", "alert")


def note(text: str) -> mo.Html:
    """A sentence about what is not there or how to read what is."""
    return _box(text, "note", "note")


def _box(text: str, kind: str, role: str) -> mo.Html:
    return mo.Html(f'<p class="board-{kind}" role="{role}">{escaped(text)}</p>')


def heading(text: str) -> mo.Html:
    """A heading within a page."""
    return mo.Html(f'<h2 class="board-heading">{escaped(text)}</h2>')


def cards(figures: Sequence[tuple[str, str, str]]) -> mo.Html:
    """Figures side by side, as many a row as fit: name, value, what stands beside it."""
    inside = "".join(
        f"<div><span>{escaped(name)}</span><b>{escaped(value)}</b><small>{escaped(beside)}</small></div>"
        for name, value, beside in figures
    )
    return mo.Html(f'<div class="board-cards">{inside}</div>')


def text_block(text: str) -> mo.Html:
    """A text as it is, its lines wrapped."""
    return mo.Html(f'<pre class="board-text">{escaped(text)}</pre>')


def pairs(fields: Mapping[str, object]) -> mo.Html:
    """Names and values, one pair a line."""
    inside = "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(plain(value))}</dd>" for name, value in fields.items())
    return mo.Html(f'<dl class="board-pairs">{inside}</dl>')


def table(rows: Sequence[Row], *, empty: str, pick: bool = False, wrapped: Sequence[str] = ()) -> mo.Html:
    """Rows as a table, with `empty` in its place when there are none; `pick` lets the reader choose one."""
    if not rows:
        return note(empty)
    names = list(rows[0])
    return mo.ui.table(
        [{name: plain(row[name]) for name in names} for row in rows],
        selection="single" if pick else None,
        pagination=not pick and len(rows) > ROWS,
        page_size=max(ROWS, len(rows)) if pick else ROWS,
        show_column_summaries=False,
        show_data_types=False,
        show_download=False,
        show_search=False,
        wrapped_columns=[name for name in wrapped if name in names],
    )


def chart(spec: Mapping[str, Any]) -> mo.Html:
    """A Vega-Lite specification drawn as wide as its place, without a menu."""
    kind = alt.LayerChart if "layer" in spec else alt.Chart
    return mo.as_html(kind.from_dict({**spec, "usermeta": {"embedOptions": {"actions": False}}}))


def charts(found: Sequence[tuple[str, Mapping[str, Any] | None]]) -> mo.Html:
    """Titled charts, two a row where there is room; those without data are left out."""
    inside = "".join(
        f"<figure><figcaption>{escaped(title)}</figcaption>{chart(spec).text}</figure>" for title, spec in found if spec
    )
    return mo.Html(f'<div class="board-charts">{inside}</div>')


def plain(value: object) -> str | int | float | bool | None:
    """A value as a cell shows it: figures to four digits, times in UTC to the second, the rest as text."""
    if isinstance(value, bool) or value is None or isinstance(value, (int, str)):
        return value
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    return str(value)


def escaped(text: object) -> str:
    """`text` without a meaning in HTML or in the attributes of marimo's elements."""
    signs = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
    return "".join(signs.get(sign, sign) for sign in ("" if text is None else str(text)))
