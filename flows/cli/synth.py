"""`gradatim synth`: tasks from procedural families, from models, from reasoning-gym, and out of imported corpora."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import Output, print_json

EACH = 100
"""Attempts a family, a style, a data set, or an arm with --weakest, unless --n says."""
MODELS = "Tasks written by a model"
WEAK_SPOT = "weak_spot"
"""The style that is shown failures: with it, --weakest says of how many arms."""


def command(
    context: typer.Context,
    family: Annotated[list[str] | None, typer.Option(help="Family to make tasks of; may repeat.")] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--n",
            help=f"Attempts a family, {EACH}; with --weakest in all; with --grown of each generator (all).",
            min=0,
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed; another seed makes other tasks.")] = 0,
    level: Annotated[int | None, typer.Option(help="Only this level.")] = None,
    weakest: Annotated[
        int | None,
        typer.Option(
            help="Instead: at this many arms where the campaign's last policy is weakest (also with --style).",
            min=1,
        ),
    ] = None,
    style: Annotated[
        str | None, typer.Option(help="Instead: tasks written by a model in this style.", rich_help_panel=MODELS)
    ] = None,
    writer: Annotated[
        str | None, typer.Option(help="ENGINE:MODEL:LINEAGE, or server:MODEL:LINEAGE@URL.", rich_help_panel=MODELS)
    ] = None,
    checker: Annotated[
        str | None, typer.Option(help="Likewise, of another lineage: solves blind.", rich_help_panel=MODELS)
    ] = None,
    models: Annotated[
        Path | None,
        typer.Option(help="TOML file with tables models.writer and models.checker.", rich_help_panel=MODELS),
    ] = None,
    origin: Annotated[
        str | None, typer.Option("--from", help="Source or family to write from.", rich_help_panel=MODELS)
    ] = None,
    documents: Annotated[
        Path | None, typer.Option(help="File or folder to write from.", rich_help_panel=MODELS)
    ] = None,
    votes: Annotated[int, typer.Option(help="Blind answers a task.", min=2, rich_help_panel=MODELS)] = 8,
    unlike: Annotated[
        list[str] | None, typer.Option(help="Imported benchmark that no task may resemble; may repeat.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="Ceiling of all models' tokens.", min=1, rich_help_panel=MODELS)
    ] = None,
    max_money: Annotated[float | None, typer.Option(help="Ceiling of their cost.", rich_help_panel=MODELS)] = None,
    max_minutes: Annotated[float | None, typer.Option(help="Ceiling of time.", rich_help_panel=MODELS)] = None,
    gym: Annotated[list[str] | None, typer.Option(help="Instead: from this data set of reasoning-gym.")] = None,
    grown: Annotated[str | None, typer.Option(help="Instead: grown from this imported source.")] = None,
    generator: Annotated[list[str] | None, typer.Option(help="With --grown: only by this generator.")] = None,
    list_families: Annotated[bool, typer.Option("--list", help="List families with their levels.")] = False,
    list_styles: Annotated[bool, typer.Option("--list-styles", help="List styles of writing.")] = False,
    list_gym: Annotated[bool, typer.Option("--list-gym", help="List data sets of reasoning-gym.")] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Make tasks, examine them by evidence, and commit what survives.

    With --weakest the newest campaign's last policy is calibrated again after, and first where it never was; how the
    pool moved is shown.

    Example: gradatim synth --family rev --n 200 --seed 1
    Example: gradatim synth --weakest 5 --n 300
    Example: gradatim synth --style harder --from gsm8k --models models.toml --n 500 --max-money 5
    Example: gradatim synth --style weak_spot --from traces --weakest 3 --models models.toml
    Example: gradatim synth --grown gsm8k
    """
    from flows.cli import orders
    from flows.steps.synthesis import family_table, requests_for
    from warehouse.errors import UserError

    output = Output(as_json=as_json)
    if list_families:
        from flows.steps.agents import agent_families

        output.rows([*family_table(), *agent_families()])
        return
    if list_styles:
        output.rows(orders.styles_table())
        return
    if list_gym:
        from synth.gym import names

        output.rows([{"gym": name} for name in names()])
        return
    named: dict[str, object] = {"--style": style, "--gym": gym, "--grown": grown, "--family": family}
    if weakest is not None and style != WEAK_SPOT:
        named["--weakest"] = weakest
    chosen = [option for option, value in named.items() if value]
    if len(chosen) > 1:
        raise UserError(f"{' and '.join(chosen)} are separate requests; give one; see: gradatim synth --help")
    if unlike:
        from flows.settings import prepared
        from flows.steps.sources import check_benchmarks

        check_benchmarks(prepared(home_of(context)), unlike)
    if style or gym or grown:
        from flows.settings import prepared

        settings = prepared(home_of(context))
        if style:
            budget = {"tokens": max_tokens, "money": max_money, "minutes": max_minutes}
            order = {
                "style": style, "n": n if n is not None else EACH, "seed": seed, "origin": origin,
                "documents": documents, "weakest": weakest, "n_votes": votes, "benchmarks": tuple(unlike or ()),
            }  # fmt: skip
            orders.write(settings, orders.models_of(models, writer, checker, budget), order, output, dry_run=dry_run)
        elif gym:
            orders.gym(settings, gym, n if n is not None else EACH, seed, output, unlike=unlike or (), dry_run=dry_run)
        else:
            orders.grow(settings, grown or "", generator or (), n, seed, output, unlike=unlike or (), dry_run=dry_run)
        return
    if weakest is not None:
        if family or level is not None or unlike:
            raise UserError(
                "--weakest chooses the arms itself, and benchmarks are the campaign's own: leave out --family, --level "
                "and --unlike; see: gradatim synth -h"
            )
        _weakest(context, weakest, n if n is not None else EACH * weakest, seed, dry_run, as_json)
        return
    if not family:
        raise UserError("name at least one family: --family NAME; see: gradatim synth --list")
    from synth.environments.makers import MAKERS

    n = n if n is not None else EACH
    agents = [name in MAKERS.names() for name in family]
    if any(agents) and not all(agents):
        raise UserError(f"families of agent tasks are a request of their own: {', '.join(MAKERS.names())}")
    if all(agents) and unlike:
        raise UserError("agent tasks are worlds of their own, held against no benchmark: leave out --unlike")
    if all(agents):
        from flows.steps.agents import agent_requests

        requests = agent_requests(family, n=n, seed=seed, level=level)
    else:
        requests = requests_for(family, n=n, seed=seed, level=level)
    if dry_run:
        output.rows([{"family": r.family, "level": r.level, "n": r.n, "seed": r.seed} for r in requests])
        return
    from flows.settings import prepared

    settings = prepared(home_of(context))
    if all(agents):
        from flows.synthesize_agents import synthesize_agents

        output.value(synthesize_agents(settings.home, family, n, seed, level))
        return
    from flows.synthesize_tasks import synthesize_tasks

    output.value(synthesize_tasks(settings.home, family, n, seed, level, list(unlike or ())))


def _weakest(context: typer.Context, weakest: int, n: int, seed: int, dry_run: bool, as_json: bool) -> None:
    from flows.settings import prepared
    from flows.steps.current import current
    from flows.workshop import looking

    settings = prepared(home_of(context))
    with looking(settings) as shop:
        config, policy_id = current(shop, None, None)
        if dry_run:
            from flows.steps.weak_spots import next_round

            sized = next_round(shop, config, policy_id, n_arms=weakest, n=n, seed=seed).sized
            Output(as_json=as_json).rows([order._asdict() for order in sized.orders])
            return
    from flows.synthesize_weakest import synthesize_weakest

    found = synthesize_weakest(settings.home, weakest, n, seed)
    if as_json:
        print_json(found)
    else:
        _print(found)


def _print(found: Mapping[str, Any]) -> None:
    output = Output(as_json=False)
    output.rows(found["orders"], title=f"asked for at the weak spots of policy {found['policy_id']}")
    output.value({name: found[name] for name in ("n_in", "n_out", "rejected")}, title="made")
    for part in ("buckets", "arms"):
        rows = [{part.removesuffix("s"): name, **row} for name, row in found[part].items()]
        output.rows(rows, title=f"the pool by {part}; moved by {found['distance'][part]:.3f} (total variation)")
