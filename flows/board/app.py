# /// script
# [tool.marimo.display]
# theme = "system"
# ///
"""The board as a marimo application: one cell makes a page's controls, the next shows what they ask for.

A cell of a page that is not open stops at once, so that only the open page asks the warehouse.
"""

import marimo

app = marimo.App(width="medium", app_title="gradatim", css_file="board.css")

with app.setup:
    from collections.abc import Callable
    from typing import Any

    import marimo as mo

    from flows.board import asking, lines, live, quality, tasks, training
    from flows.board.desk import Desk
    from flows.board.desk import desk as open_desk
    from flows.board.display import controls, in_a_row, note, or_stop, shown, title

    PAGES = ("Run", "Tasks", "SQL", "Funnel", "Collapse", "Graders", "Compare")


@app.cell
def _chosen() -> tuple[object, ...]:
    desk = open_desk()
    address = mo.query_params()
    _asked = str(address.get("page") or "")
    chosen, choose = mo.state(_asked if _asked in PAGES else PAGES[0], allow_self_loops=True)
    return address, choose, chosen, desk


@app.cell
def _page(address: Any, choose: Callable[[str], None], chosen: Callable[[], str], desk: Desk) -> tuple[object, ...]:
    page = chosen()

    def turn(name: str) -> None:
        address.set("page", name)
        choose(name)

    tabs = mo.ui.array(
        [mo.ui.button(label=n, value=n, kind="success" if n == page else "neutral", on_click=turn) for n in PAGES]
    )
    mo.vstack([title(desk.home.root), in_a_row(tabs)])
    return page, tabs


@app.cell
def _line(desk: Desk, page: str) -> tuple[object, ...]:
    mo.stop(page not in ("Run", "Funnel", "Collapse"))
    known = or_stop(lambda: desk.ask(lines.lines))
    everything = {"the whole warehouse": None} if page == "Funnel" else {}
    offered = {**everything, **known}
    line = mo.ui.dropdown(offered, value=next(iter(offered), None), label="campaign", full_width=True)
    baseline = mo.ui.dropdown({"nothing": None, **known}, value="nothing", label="beside", full_width=True)
    every = mo.ui.refresh(options=["5s", "30s", "5m"], default_interval="5s")
    beside = {"Run": (every,), "Collapse": (baseline,)}.get(page, ())
    controls([line, *beside]) if offered else note("This warehouse holds no campaign yet; see: gradatim run --help")
    return baseline, every, line


@app.cell
def _live(desk: Desk, every: mo.ui.refresh, line: mo.ui.dropdown, page: str) -> tuple[object, ...]:
    mo.stop(page != "Run" or line.value is None)
    every.value  # noqa: B018  # a tick runs this cell again
    shown(lambda: desk.ask(lambda store: live.live(store, line.value)))
    return ()


@app.cell
def _funnel(desk: Desk, line: mo.ui.dropdown, page: str) -> tuple[object, ...]:
    mo.stop(page != "Funnel")
    shown(lambda: desk.ask(lambda store: training.funnel(store, line.value)))
    return ()


@app.cell
def _collapse(desk: Desk, baseline: mo.ui.dropdown, line: mo.ui.dropdown, page: str) -> tuple[object, ...]:
    mo.stop(page != "Collapse" or line.value is None)
    shown(lambda: desk.ask(lambda store: training.collapse(store, line.value, baseline.value)))
    return ()


@app.cell
def _filters(desk: Desk, page: str) -> tuple[object, ...]:
    mo.stop(page != "Tasks")
    filters = tasks.filters(or_stop(lambda: desk.ask(tasks.choices)))
    mo.vstack([filters["text"], controls((filters[name] for name in filters.elements if name != "text"), least=140)])
    return (filters,)


@app.cell
def _number(filters: mo.ui.dictionary) -> tuple[object, ...]:
    filters.value  # noqa: B018  # another filter begins at the first page
    number = mo.ui.number(start=1, step=1, value=1, label="page")
    return (number,)


@app.cell
def _tasks(desk: Desk, filters: mo.ui.dictionary, number: mo.ui.number) -> tuple[object, ...]:
    found = or_stop(lambda: desk.ask(lambda store: tasks.find(store, filters.value, int(number.value or 1))))
    picked = tasks.listed(found)
    mo.vstack([mo.hstack([tasks.counted(found), number], wrap=True, align="center"), picked])
    return found, picked


@app.cell
def _task(desk: Desk, found: tasks.Found, picked: mo.ui.table) -> tuple[object, ...]:
    task_id = tasks.picked_id(found, getattr(picked, "value", None))
    mo.stop(task_id is None)
    shown(lambda: tasks.detail(desk, str(task_id)))
    return ()


@app.cell
def _question(page: str) -> tuple[object, ...]:
    mo.stop(page != "SQL")
    question = mo.ui.code_editor(asking.EXAMPLE, language="sql", min_height=120, show_copy_button=False).form(
        submit_button_label="Ask", bordered=False
    )
    question  # noqa: B018
    return (question,)


@app.cell
def _answer(desk: Desk, question: mo.ui.form[str, str]) -> tuple[object, ...]:
    shown(lambda: asking.answer(desk, str(question.value))) if question.value is not None else note(
        "Ask runs it: one SELECT or EXPLAIN, read-only, over what the table below names."
    )
    return ()


@app.cell
def _schema(page: str) -> tuple[object, ...]:
    mo.stop(page != "SQL")
    mo.accordion({"Tables, views and columns": asking.schema()})
    return ()


@app.cell
def _graders(desk: Desk, page: str) -> tuple[object, ...]:
    mo.stop(page != "Graders")
    shown(lambda: quality.conflicts(desk))
    return ()


@app.cell
def _pair(desk: Desk, page: str) -> tuple[object, ...]:
    mo.stop(page != "Compare")
    evaluated = or_stop(lambda: desk.ask(quality.policies))
    pair = quality.pair(evaluated, or_stop(lambda: desk.ask(tasks.choices)).families)
    controls(pair.elements.values()) if len(evaluated) > 1 else note(
        "It takes two evaluated policies to compare; see: gradatim evaluate --help"
    )
    return evaluated, pair


@app.cell
def _comparison(desk: Desk, evaluated: dict[str, str], pair: mo.ui.dictionary) -> tuple[object, ...]:
    mo.stop(len(evaluated) < 2)
    shown(lambda: desk.ask(lambda store: quality.comparison(store, pair.value)))
    return ()


if __name__ == "__main__":
    app.run()
