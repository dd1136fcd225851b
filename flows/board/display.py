"""How the board shows what it found: cards, tables, charts, and errors as one line instead of a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypeVar

import marimo as mo

from warehouse.errors import GradatimError

Row = Mapping[str, Any]
Made = TypeVar("Made")

ROWS = 20
"""Rows that a table shows before it turns pages."""
LONG, WIDE = 40, 340
"""Characters from which a column's texts wrap, and how wide it is then, in pixels."""

ON_ANY_GROUND = {"text": {"color": "#7d8797"}, "axis": {"gridColor": "#7d879740"}, "view": {"stroke": "#7d879780"}}
"""What marimo's themes leave out of charts, in colours that both grounds bear."""


def shown(work: Callable[[], object]) -> mo.Html:
    """What `work` returns; its error as a sentence where it raises one of ours."""
    try:
        return mo.as_html(work())
    except GradatimError as error:
        return problem(str(error))


def or_stop(work: Callable[[], Made]) -> Made:
    """What `work` returns; where it raises one of our errors the cell ends with that as a sentence."""
    try:
        return work()
    except GradatimError as error:
        mo.stop(True, problem(str(error)))
        raise


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
    return mo.Html(f'<div class="board-heading" role="heading" aria-level="2">{escaped(text)}</div>')


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


def table(rows: Sequence[Row], *, empty: str) -> mo.Html:
    """Rows as a table, with `empty` in its place when there are none; many rows turn pages."""
    if not rows:
        return note(empty)
    names = list(rows[0])
    if len(rows) > ROWS:
        return _paged(rows, selection=None)
    head = "".join(f"<th{_side(rows[0][name])}>{escaped(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(_cell(name, row[name]) for name in names) + "</tr>" for row in rows)
    return mo.Html(f'<div class="board-table"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>')


def picking(rows: Sequence[Row], *, empty: str) -> mo.Html | mo.ui.table:
    """The same, for the reader to pick one row from; all rows are on one page."""
    return _paged(rows, selection="single") if rows else note(empty)


def _cell(name: str, value: object) -> str:
    return f'<td data-label="{escaped(name)}"{_side(value)}>{escaped(plain(value))}</td>'


def _side(value: object) -> str:
    return " class=n" if isinstance(value, (int, float)) and not isinstance(value, bool) else ""


def _paged(rows: Sequence[Row], *, selection: Literal["single"] | None) -> mo.ui.table:
    names = list(rows[0])
    long = [name for name in names if any(len(str(row[name])) > LONG for row in rows)]
    return mo.ui.table(
        [{name: plain(row[name]) for name in names} for row in rows],
        selection=selection,
        pagination=selection is None,
        page_size=ROWS if selection is None else len(rows),
        show_column_summaries=False,
        show_data_types=False,
        show_download=False,
        show_search=False,
        wrapped_columns=long,
        column_widths=dict.fromkeys(long, WIDE),
    )


class _Drawn:
    """A Vega-Lite specification that marimo draws in its reader's theme."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self._spec = {
            **spec,
            "background": "transparent",
            "config": ON_ANY_GROUND,
            "usermeta": {"embedOptions": {"actions": False}},
        }

    def _mime_(self) -> tuple[str, str]:
        return "application/vnd.vegalite.v6+json", json.dumps(self._spec)


def title(place: object) -> mo.Html:
    """The head of the board: its name, and whose warehouse it reads."""
    name = f"gradatim <span>{escaped(place)}</span>"
    return mo.Html(f'<div class="board-title" role="heading" aria-level="1">{name}</div>')


def in_a_row(elements: Iterable[mo.Html]) -> mo.Html:
    """Elements beside each other, in as many lines as they take."""
    return mo.Html(f'<div class="board-row">{"".join(element.text for element in elements)}</div>')


def controls(elements: Iterable[mo.Html], *, least: int = 240) -> mo.Html:
    """Controls side by side, each at least `least` pixels wide where there is room."""
    inside = "".join(f"<div>{element.text}</div>" for element in elements)
    return mo.Html(f'<div class="board-controls" style="--least: {least}px">{inside}</div>')


def charts(found: Sequence[tuple[str, Mapping[str, Any] | None]]) -> mo.Html:
    """Titled charts, two a row where there is room; those without data are left out."""
    inside = "".join(
        f"<figure><figcaption>{escaped(title)}</figcaption>{mo.as_html(_Drawn(spec)).text}</figure>"
        for title, spec in found
        if spec
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
