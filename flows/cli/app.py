"""The Typer application: its global options and the verbs it finds beside this file."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import flows.cli as package

NOT_VERBS = {"app", "boundary", "options", "orders", "output"}

ASKING = {
    *("audit", "board", "calibrate", "compare", "diff", "evaluate", "explain", "export", "feed", "plan", "policies"),
    *("replay", "report", "review", "sql", "train", "watch"),
}
"""Verbs that are refused at once where there is no warehouse: their own check comes after seconds of imports."""
ASKING_OPTIONS = {"--weakest", "--grown"}
"""Options of `synth` that ask a warehouse too."""
WITHOUT = {"-h", "--help", "--check"}
"""Options with which such a verb does without."""

TYPED = "gradatim.typed"
"""Where the words of the command line are kept while its global options are read."""


class _Verbs(TyperGroup):
    """The verbs, with what was typed behind each kept for the global options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[TYPED] = set(args)
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_Verbs,
    name="gradatim",
    help="Verifiable tasks, a warehouse, a curriculum and a trainer that closes the loop.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _global_options(
    context: typer.Context,
    home: Annotated[
        Path, typer.Option(envvar="GRADATIM_HOME", help="Folder of the warehouse and all that runs write.")
    ] = Path(".gradatim"),
) -> None:
    from warehouse.errors import UserError

    if not_folder := next((place for place in (home, *home.parents) if place.is_file()), None):
        raise UserError(f"home '{home}' cannot be: '{not_folder}' is a file; choose a folder: gradatim --home DIR")
    context.obj = home
    options = context.meta[TYPED]
    asks = context.invoked_subcommand in ASKING or (context.invoked_subcommand == "synth" and options & ASKING_OPTIONS)
    if asks and not options & WITHOUT:
        from flows.settings import read_settings

        if not read_settings(home).place.exists:
            raise UserError(f"there is no warehouse in {home.absolute()}; see: gradatim --home DIR import|synth|run")


def _add_verbs() -> None:
    """A verb module holds either `command`, a function, or `group`, a Typer application of sub-verbs."""
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda found: found.name):
        if module.name in NOT_VERBS:
            continue
        verb = importlib.import_module(f"flows.cli.{module.name}")
        name = module.name.removesuffix("_")
        if hasattr(verb, "group"):
            app.add_typer(verb.group, name=name)
        else:
            app.command(name)(verb.command)


_add_verbs()
