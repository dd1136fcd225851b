"""`gradatim compare`: two policies, task by task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from flows.cli.options import AsJson, home_of
from flows.cli.output import Output, difference


def command(
    context: typer.Context,
    a: Annotated[str, typer.Argument(help="Policy id, or its first characters.")],
    b: Annotated[str, typer.Argument(help="Policy id, or its first characters.")],
    metric: Annotated[str, typer.Option(help="pass@K for any K up to the samples a task.")] = "pass@1",
    family: Annotated[list[str] | None, typer.Option(help="Only these families; may repeat.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Compare evaluations under different budgets.")] = False,
    look: Annotated[str, typer.Option(help="I/N: the I-th of N planned looks at this comparison.")] = "1/1",
    want: Annotated[float | None, typer.Option(help="A difference of pass@1: say what it takes to see it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Say whether policy B is better than A on the same held-out tasks, with a clustered interval.

    Example: gradatim compare 3f2a 91bc --metric pass@8
    """
    from flows.settings import prepared
    from flows.steps.comparison import compare_policies
    from flows.steps.upkeep import existing_store

    with existing_store(prepared(home_of(context)), read_only=True) as store:
        found = compare_policies(
            store, a, b, metric=metric, families=family or [], force=force, look=_look(look), want=want
        )
    if as_json:
        Output(as_json=True).value(found)
    else:
        Output(as_json=False).value(_told(found, a, b))


def _told(found: Mapping[str, Any], a: str, b: str) -> dict[str, object]:
    """A comparison as people read it: which of the two is better, by how much, how sure, and at what cost."""
    metric, surely = found["metric"], f"{100 * found['level']:.4g} %"
    said = {"better": f"B ({b}) is better", "worse": f"A ({a}) is better"}.get(found["verdict"], found["verdict"])
    spent = [f"{one['n_tasks']} tasks x {one['n_samples']} samples" for one in found["budgets"]]
    told: dict[str, object] = {
        "verdict": said,
        f"{metric} of A, {a}": found["a"],
        f"{metric} of B, {b}": found["b"],
        "B minus A, task by task": f"{difference(found)}, an interval of {surely}",
        "p-value": found["p_value"],
        "smallest difference that this many tasks would show, four times in five": found["detectable"],
        "tasks that both were measured on": f"{found['n']}, in {found['n_clusters']} families x levels",
        "measured on": spent[0] if spent[0] == spent[1] else f"A: {spent[0]}; B: {spent[1]}",
    }
    if not found["same_protocol"]:
        told["protocols"] = "not the same: tasks or settings differ, so may the figures"
    if found["look"][1] > 1:
        told["look"] = f"{found['look'][0]} of {found['look'][1]} planned ones; the interval is as wide as that takes"
    return told | ({"what it takes": found["power"]} if "power" in found else {})


def _look(text: str) -> tuple[int, int]:
    from warehouse.errors import UserError

    which, _, of = text.partition("/")
    if not (which.isdecimal() and of.isdecimal() and 1 <= int(which) <= int(of)):
        raise UserError(f"look is '{text}', must be I/N with I from 1 to N; see: gradatim compare --help")
    return int(which), int(of)
