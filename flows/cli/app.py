"""The Typer application: its global options and the verbs it finds beside this file."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import Annotated

import typer

import flows.cli as package

NOT_VERBS = {"app", "boundary", "options", "orders", "output"}

app = typer.Typer(
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
    context.obj = home


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
