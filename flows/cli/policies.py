"""`gradatim policies`: the checkpoints that the warehouse knows."""

from __future__ import annotations

from collections.abc import Mapping

import typer

from flows.cli.options import AsJson, place_of
from flows.cli.output import Output

QUERY = """
SELECT
    p.nth, p.policy_id, p.name, p.lineage, p.parent, p.stage_id, s.campaign_id, s.stage_index, s.kind, m.scheduler,
    e.pass_at_1, p.path, p.n_parameters
FROM current_policies AS p
LEFT JOIN current_stages AS s ON s.stage_id = p.stage_id
LEFT JOIN (SELECT mixture_id, any_value(scheduler) AS scheduler FROM mixtures GROUP BY mixture_id) AS m
    ON m.mixture_id = s.mixture_id
LEFT JOIN (
    SELECT policy_id, max_by(value, rowid) AS pass_at_1 FROM evals
    WHERE "group" = 'all' AND metric = 'pass@1' GROUP BY policy_id
) AS e ON e.policy_id = p.policy_id
ORDER BY p.nth
"""


def command(context: typer.Context, as_json: AsJson = False) -> None:
    """List policies in the order of writing: what each was trained from, by which stage, and its newest pass@1.

    Example: gradatim policies --json
    """
    from warehouse import people_sql

    rows = people_sql.run(place_of(context), QUERY).to_pylist()
    Output(as_json=as_json).rows(rows if as_json else [_short(row) for row in rows])


def _short(row: Mapping[str, object]) -> Mapping[str, object]:
    """A row for people: ids by their first 8 characters, which every verb takes."""
    policy, parent, campaign = (str(row[name] or "")[:8] for name in ("policy_id", "parent", "campaign_id"))
    return {
        "policy": policy,
        "name": row["name"],
        "parent": parent,
        "campaign": campaign,
        "stage": row["stage_index"],
        "by": row["scheduler"] or row["kind"],
        "pass@1": row["pass_at_1"],
    }
