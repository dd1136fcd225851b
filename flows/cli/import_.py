"""`gradatim import`: real corpora as tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import AsJson, home_of
from flows.cli.output import Output


def command(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="gsm8k, mbpp, humaneval, jsonl, or a third party's importer.")],
    path: Annotated[Path | None, typer.Option(help="File to read; from the hub without one.")] = None,
    source: Annotated[str | None, typer.Option(help="Name of the source, when not the importer's own.")] = None,
    limit: Annotated[int | None, typer.Option(help="Read at most this many rows.", min=1)] = None,
    as_json: AsJson = False,
) -> None:
    """Bring a corpus in: golds parsed, references run against their tests, every verdict kept.

    Example: gradatim import gsm8k --path gsm8k_train.jsonl
    """
    from flows.settings import prepared
    from synth import importers
    from warehouse.errors import UserError

    importers.get(name)
    if path is not None and not path.is_file():
        raise UserError(f"file '{path}' is not there; see: gradatim import --help")
    settings = prepared(home_of(context))
    from flows.import_corpus import import_corpus

    Output(as_json=as_json).value(import_corpus(settings.home, name, path, source, limit))
