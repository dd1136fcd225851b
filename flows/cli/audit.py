"""`gradatim audit`: how often the verifiers are wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import Output, interval, print_json, say


def command(
    context: typer.Context,
    n: Annotated[int, typer.Option("--n", help="Tasks of each domain to audit on.")] = 200,
    seed: Annotated[int, typer.Option(help="Another seed chooses other tasks.")] = 0,
    rejudge: Annotated[
        bool, typer.Option("--rejudge", help="First judge tasks again whose verifiers have newer versions.")
    ] = False,
    adversarial: Annotated[
        bool, typer.Option("--adversarial", help="Instead: plant defects in accepted tasks and see which are admitted.")
    ] = False,
    models: Annotated[
        Path | None, typer.Option(help="With --adversarial: TOML file whose models.checker takes part.")
    ] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Measure false accepts and false rejects of each verifier version on answers of known truth.

    Wrong answers are perturbed golds and mutants that provably differ; right ones are other forms of the gold and
    rewritten references. A task that fails a newer verifier is quarantined.

    Example: gradatim audit --n 200 --rejudge --json
    Example: gradatim audit --adversarial --n 50
    """
    from flows.settings import prepared
    from flows.steps.auditing import foreseen
    from flows.workshop import looking

    settings = prepared(home_of(context))
    with looking(settings) as shop:
        told = foreseen(shop, n=n, seed=seed, rejudge=rejudge)
    if dry_run:
        Output(as_json=as_json).value({"n_tasks": told["n_tasks"]} if adversarial else told)
        return
    if adversarial:
        from flows.audit_verifiers import attack_admission
        from flows.cli.orders import models_of

        rows = attack_admission(settings.home, n, seed, models_of(models, None, None, {}))
        if as_json:
            print_json(rows)
        else:
            Output(as_json=False).rows([_attacked(row) for row in rows], title="planted defects")
        return
    from flows.audit_verifiers import audit_verifiers

    found = audit_verifiers(settings.home, n, seed, rejudge)
    if as_json:
        print_json(found)
        return
    Output(as_json=False).rows([_shown(row) for row in found["verifiers"]], title="answers of known truth")
    if rejudge:
        say(f"judged again: {found['rejudged']}; quarantined: {found['quarantined']}; undecided: {found['undecided']}")


def _attacked(row: Mapping[str, Any]) -> Mapping[str, object]:
    figure = {"value": row["admitted"], "low": row["low"], "high": row["high"]}
    return {name: row[name] for name in ("verifier", "defect", "n", "n_admitted")} | {"admitted": interval(figure)}


def _shown(row: Mapping[str, Any]) -> Mapping[str, object]:
    """A verifier's figures as people read them; empty where nothing of that kind was tried."""
    shown: dict[str, object] = {"verifier": row["verifier"], "version": row["version"], "tasks": row["n"]}
    for name, tried in (("false_accept", "n_wrong"), ("false_reject", "n_right")):
        figure = {"value": row[name], "low": row[f"{name}_low"], "high": row[f"{name}_high"]} if row[tried] else None
        shown |= {name.replace("_", " "): interval(figure), f"of {tried.removeprefix('n_')} ones": row[tried]}
    return shown
