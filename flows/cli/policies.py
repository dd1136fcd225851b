"""`gradatim policies`: the checkpoints that the warehouse knows."""

from __future__ import annotations

from collections.abc import Mapping

import typer

from flows.cli.options import AsJson, place_of
from flows.cli.output import Output

QUERY = "SELECT nth, policy_id, name, lineage, parent, stage_id, path, n_parameters FROM current_policies ORDER BY nth"


def command(context: typer.Context, as_json: AsJson = False) -> None:
    """List policies in the order of writing, with what each was trained from.

    Example: gradatim policies --json
    """
    from warehouse import people_sql

    rows = people_sql.run(place_of(context), QUERY).to_pylist()
    Output(as_json=as_json).rows(rows if as_json else [_short(row) for row in rows])


def _short(row: Mapping[str, object]) -> Mapping[str, object]:
    """A row for people: ids by their first 8 characters, which every verb takes, and no path."""
    ids = {name: str(row[name] or "")[:8] for name in ("policy_id", "parent", "stage_id")}
    return {name: ids.get(name, value) for name, value in row.items() if name not in ("path", "lineage")}
