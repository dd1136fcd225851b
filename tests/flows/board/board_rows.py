"""Rows of the board's warehouse: a campaign with its baseline, evaluations, and what no board may show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from campaign_rows import campaign_rows
from warehouse_rows import campaign, rollout

from warehouse.records import Attempt, Calibration, Run, Split, StatusChange, Task
from warehouse.store import Store

SECRET = "Zwiebelkuchen"
"""Stands in everything that is private: hidden tests, and held-out prompts, gold, tests and references."""


def hide(row):
    """`row` with the secret in all that a task may hide."""
    if not isinstance(row, Task):
        return row
    hidden = replace(row, hidden_tests=f'["{SECRET}"]')
    if row.split is not Split.HELDOUT:
        return hidden
    return replace(hidden, prompt=f"{SECRET} {row.prompt}", gold=SECRET, reference=SECRET, tests=f'["{SECRET}"]')


def fill(home: Path) -> None:
    """A warehouse of 140 tasks in `home`."""
    own = [replace(r, outputs={"baseline": "baseline0"}) if isinstance(r, Run) else r for r in campaign_rows()]
    shared = (Task, StatusChange, Run, Attempt, Calibration)
    other = [r for r in campaign_rows("baseline0", scheduler="uniform", seed=1) if not isinstance(r, shared)]
    third = [hide(r) for r in campaign() if not isinstance(r, Run)]
    told = rollout(9000, task_id="t10", completion=f"{SECRET} as a policy said it")
    with Store.open(home, threads=1) as store:
        for name, rows in {"own": own, "other": other, "third": [*third, told]}.items():
            store.commit(rows, batch=name, purpose=name, run="run")
