"""The task explorer: filters, words of the prompt, one page of tasks, one task in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import marimo as mo

from flows.board.desk import Desk
from flows.board.display import heading, note, pairs, picking, plain, table, text_block
from warehouse.records import Bucket, Split, Status
from warehouse.store import Store

PAGE = 20
"""Tasks a page."""

LONGEST = 300
"""Characters of a prompt in the table."""

ANY = "any"


class Choices(NamedTuple):
    """What filters can be set to, as the warehouse holds it."""

    domains: Sequence[str]
    families: Sequence[str]
    levels: Sequence[str]
    policies: Mapping[str, str]
    """Policies with measurements, newest first: what is shown to what is asked for."""


class Found(NamedTuple):
    """One page: its rows, how many tasks fit in all, and the place of the first row, from 0."""

    rows: Sequence[Mapping[str, Any]]
    n_found: int
    offset: int


def choices(store: Store) -> Choices:
    """The values that filters offer."""
    kinds = store.rows("SELECT DISTINCT domain, family, level FROM tasks")
    known = store.rows(
        "SELECT policy_id, name FROM current_policies SEMI JOIN calibrations USING (policy_id) ORDER BY nth DESC"
    )
    return Choices(
        sorted({row["domain"] for row in kinds}),
        sorted({row["family"] for row in kinds}),
        [str(level) for level in sorted({row["level"] for row in kinds})],
        {f"{row['name']} {row['policy_id'][:12]}": row["policy_id"] for row in known},
    )


def filters(found: Choices) -> mo.ui.dictionary:
    """The explorer's controls."""
    policies = {"newest": "%", **found.policies}
    return mo.ui.dictionary(
        {
            "text": mo.ui.text(placeholder="words, then Enter", label="prompt holds", full_width=True),
            "domain": _one_of("domain", found.domains),
            "family": _one_of("family", found.families),
            "level": _one_of("level", found.levels),
            "status": _one_of("status", [str(word) for word in Status]),
            "bucket": _one_of("bucket", [*(str(word) for word in Bucket), "unmeasured"]),
            "policy": mo.ui.dropdown(policies, value="newest", label="bucket for policy", full_width=True),
        }
    )


def _one_of(label: str, values: Sequence[str]) -> mo.ui.dropdown:
    return mo.ui.dropdown([ANY, *values], value=ANY, label=label, full_width=True)


def find(store: Store, chosen: Mapping[str, Any], page: int) -> Found:
    """The tasks of page `page`, from 1, that fit the filters; only that page leaves the warehouse."""
    offset = PAGE * max(0, page - 1)
    params = {
        name: "%" if value == ANY else str(value) for name, value in chosen.items() if name not in ("text", "policy")
    }
    words = " ".join(str(chosen["text"] or "").split()) or "%"
    rows = store.named(
        "task_page", **params, policy=chosen["policy"], text=words, limit=PAGE, offset=offset
    ).to_pylist()
    return Found(rows, rows[0]["n_found"] if rows else 0, offset)


def listed(found: Found) -> mo.ui.table | mo.Html:
    """The page as a table to pick a task from."""
    rows = [
        {
            "task": row["task_id"][:12],
            "family": row["family"],
            "level": row["level"],
            "domain": row["domain"],
            "status": row["status"],
            "bucket": row["bucket"],
            "pass rate": plain(row["mean_pass_rate"]),
            "split": row["split"],
            "prompt": _short(row["prompt"]) if row["prompt"] is not None else "(held out)",
        }
        for row in found.rows
    ]
    empty = "No task fits." if not found.offset else "There is no such page; the first is 1."
    return picking(rows, empty=empty)


def picked_id(found: Found, picked: object) -> str | None:
    """The whole id of the task whose row of the table was picked, none before one is."""
    if not isinstance(picked, list) or not picked:
        return None
    start = str(picked[0]["task"])
    return next((str(row["task_id"]) for row in found.rows if str(row["task_id"]).startswith(start)), None)


def counted(found: Found) -> mo.Html:
    """How much is shown of how much."""
    if not found.rows:
        return mo.Html("")
    last = found.offset + len(found.rows)
    return mo.Html(
        f'<p class="board-quiet" id="board-counted">tasks {found.offset + 1:,} to {last:,} of {found.n_found:,}</p>'
    )


def detail(desk: Desk, task_id: str) -> mo.Html:
    """One task in full: its public columns, its verdicts, and how policies fared; completions only where it trains."""
    return desk.ask(lambda store: _detail(store, task_id))


def _detail(store: Store, task_id: str) -> mo.Html:
    own = {"id": task_id}
    rows = store.rows("SELECT * EXCLUDE (run_id, batch_id) FROM current_tasks WHERE task_id = $id", own)
    if not rows:
        return note(f"Task {task_id} is no longer there.")
    task = rows[0]
    kept_out = task["split"] == Split.HELDOUT
    long = ("prompt", "scaffold", "gold", "tests", "reference")
    parts: list[object] = [
        heading(f"Task {task_id[:12]}"),
        pairs({name: value for name, value in task.items() if name not in long and value not in (None, "[]", "{}")}),
    ]
    if kept_out:
        parts.append(note("Held out: its prompt, gold, tests and completions are not shown."))
    else:
        for name in long:
            if task[name]:
                parts += [mo.Html(f'<div class="board-quiet">{name}</div>'), text_block(str(task[name]))]
    fields = '"check", outcome, verifier, verifier_version, reason, cost'
    verdicts = store.rows(f"SELECT {fields} FROM verdicts WHERE task_id = $id ORDER BY rowid LIMIT 100", own)
    parts += [heading("Verdicts"), table(verdicts, empty="No check was made of it.")]
    tried = store.rows(
        "SELECT policy_id, n, c, pass_rate, n_undecided FROM pass_rate WHERE task_id = $id LIMIT 100", own
    )
    parts += [heading("Policies"), table(tried, empty="No policy has tried it.")]
    if not kept_out:
        fields = "policy_id, purpose, judgement, reward, n_tokens, completion"
        sampled = store.rows(f"SELECT {fields} FROM rollouts WHERE task_id = $id ORDER BY rowid DESC LIMIT 20", own)
        sampled = [{**row, "completion": _short(row["completion"])} for row in sampled]
        parts += [heading("Newest completions"), table(sampled, empty="There are none.")]
    return mo.vstack(parts)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
