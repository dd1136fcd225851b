"""`gradatim diff`: what changed between two snapshots."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from flows.cli.options import AsJson, home_of
from flows.cli.output import Output, print_json, print_table


def command(
    context: typer.Context,
    a: Annotated[int, typer.Argument(help="Snapshot before, as stages pin them.", min=0)],
    b: Annotated[int, typer.Argument(help="Snapshot after.", min=0)],
    limit: Annotated[int, typer.Option(help="Rows of a list at most; counts are whole.", min=0)] = 1000,
    as_json: AsJson = False,
) -> None:
    """Show tasks, statuses, buckets and plans that changed from snapshot A to snapshot B.

    Example: gradatim diff 12 40 --json
    """
    from flows.settings import prepared
    from flows.workshop import open_store
    from warehouse.diff import diff

    with open_store(prepared(home_of(context)), read_only=True) as store:
        found = diff(store, a, b, limit=limit)
    if as_json:
        print_json(found)
        return
    Output(as_json=False).value({"before": a, "after": b, "mixtures": len(found["mixtures"])}, title="snapshots")
    for part in ("tasks_added", "status_moves", "bucket_moves"):
        if found[part]:
            print_table(found[part], title=part.replace("_", " "))
    for plan in found["mixtures"]:
        changes = json.loads(plan["diff"])
        if changes:
            rows = [{"arm": arm, **{key: changes[arm][key] for key in ("before", "after", "why")}} for arm in changes]
            print_table(rows, title=f"plan {plan['mixture_id']} of stage {plan['stage_index']}")
