"""`gradatim import`: real corpora as tasks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import Output, say

if TYPE_CHECKING:
    from synth.importers import Importer

TRACES, EXPORT = "traces", "export"
TRACE_FIELDS = "a line of traces is an object with prompt, completion, and verdict or feedback, perhaps group"


def command(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="gsm8k, mbpp, humaneval, jsonl, traces, export, or a third party's.")],
    file: Annotated[Path | None, typer.Argument(help="File, or folder of an export; --path says the same.")] = None,
    path: Annotated[Path | None, typer.Option(help="File to read; from the hub without one.")] = None,
    source: Annotated[str | None, typer.Option(help="Name of the source, when not the importer's own.")] = None,
    limit: Annotated[int | None, typer.Option(help="Read at most this many rows.", min=1)] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Bring a corpus in: golds parsed, references run against their tests, every verdict kept.

    A line of jsonl is an object with prompt and answer, and perhaps kind, answer_format, reference; or with prompt,
    tests (asserts, a text or a list) and entry (the function's name), and perhaps scaffold, reference.

    mbpp takes task_id, text or prompt, code, test_list as published; gsm8k question, answer; humaneval its own.

    traces are logged interactions with prompt, completion, and verdict or feedback, perhaps group: masked, kept as
    seeds for gradatim synth --style weak_spot, never trained on.

    export is a folder that gradatim export wrote, in any layout: the same tasks by the same ids, each held against its
    recipe and the evidence again; code tasks need an export with --private hidden_tests, and
    what a model wrote is quarantined, as the model that verified it does not come along.

    Example: gradatim import gsm8k --path gsm8k_train.jsonl
    Example: gradatim import export tasks
    Example: gradatim import traces log.jsonl
    """
    from flows.settings import prepared
    from synth import importers
    from warehouse.errors import UserError, unknown_name

    if file is not None and path is not None:
        raise UserError(f"two files are given, '{file}' and '{path}'; give one; see: gradatim import --help")
    path = path or file
    if name == EXPORT:
        _export(context, path, source, limit, dry_run, as_json)
        return
    if path is not None and not path.is_file():
        raise UserError(f"file '{path}' is not there; see: gradatim import --help")
    if name == TRACES:
        _traces(context, path, source, limit, dry_run, as_json)
        return
    if name not in importers.IMPORTERS.names():
        known = [*importers.IMPORTERS.names(), TRACES, EXPORT]
        raise unknown_name("importer", name, known, "gradatim import --help")
    corpus = importers.get(name)
    settings = prepared(home_of(context))
    found: Mapping[str, Any]
    if dry_run:
        from flows.steps.importing import foreseen

        found = foreseen(settings, name, path, limit=limit, source=source)
    else:
        from flows.import_corpus import import_corpus

        found = import_corpus(settings.home, name, path, source, limit)
    Output(as_json=as_json).value(found)
    for line in _notes(corpus, found):
        say(line)


def _traces(
    context: typer.Context, path: Path | None, source: str | None, limit: int | None, dry_run: bool, as_json: bool
) -> None:
    from flows.settings import prepared
    from warehouse.errors import UserError

    if path is None:
        raise UserError("traces are read from a file: gradatim import traces FILE; see: gradatim import --help")
    if dry_run:
        from flows.steps.tracing import foreseen

        told = foreseen(path, limit=limit)
        Output(as_json=as_json).value(told)
        for line in _empty(told):
            say(f"{line}; {TRACE_FIELDS}")
        return
    settings = prepared(home_of(context))
    from flows.import_corpus import import_traces

    found = import_traces(settings.home, path, source, limit)
    Output(as_json=as_json).value(found)
    for line in _empty(found):
        say(f"{line}; {TRACE_FIELDS}")


def _export(
    context: typer.Context, path: Path | None, source: str | None, limit: int | None, dry_run: bool, as_json: bool
) -> None:
    from flows.settings import prepared
    from warehouse.errors import UserError
    from warehouse.exports.reading import described

    if path is None:
        raise UserError("an export is a folder: gradatim import export FOLDER; see: gradatim import --help")
    if source is not None:
        raise UserError("the tasks of an export keep the sources that they have: leave --source out")
    described(path)  # what is no export is refused before anything starts
    settings = prepared(home_of(context))
    found: Mapping[str, Any]
    if dry_run:
        from flows.steps.exported import foreseen

        found = foreseen(settings, path, limit=limit)
    else:
        from flows.import_corpus import import_export

        found = import_export(settings.home, path, limit)
    Output(as_json=as_json).value(found)
    for line in [*_lacking(found), *_empty(found)]:
        say(line)


def _lacking(found: Mapping[str, Any]) -> list[str]:
    """What to do about tasks of an export that were rejected for what it does not hold."""
    rejected, told = found["rejected"], []
    if n := sum(n for reason, n in rejected.items() if reason.endswith("hidden tests were not exported")):
        told.append(
            f"{n} programs came without their hidden tests; where they are: gradatim export --private hidden_tests"
        )
    if n := sum(n for reason, n in rejected.items() if reason.startswith("unverified:")):
        told.append(
            f"{n} tasks that a model wrote are rejected here, as status quarantined: an export holds no verifier of "
            "another lineage; see: gradatim review, or docs/guides/migrate.md"
        )
    return told


def _notes(corpus: Importer, found: Mapping[str, Any]) -> list[str]:
    """What to know of an import: keys that were not read, and that nothing was admitted."""
    notes = []
    if unknown := found.get("unknown_keys"):
        told = [
            f"{key} in {n} rows" + (f" (did you mean {likely}?)" if (likely := corpus.likely(key)) else "")
            for key, n in unknown.items()
        ]
        notes.append(f"keys that were not read: {', '.join(told)}")
    return notes + _empty(found)


def _empty(found: Mapping[str, Any]) -> list[str]:
    """That nothing was admitted, where that is so."""
    if not found["n_in"] or found.get("n_out", found.get("n_readable")):
        return []
    reason = next(iter(found["rejected"]), "none was kept")
    told = f"nothing was admitted of {found['n_in']} rows; the first reason: {reason}"
    return [f"{told}; see: gradatim sql --named funnel_reasons"]
