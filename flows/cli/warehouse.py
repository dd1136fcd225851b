"""`gradatim warehouse`: upkeep."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import Output, say

if TYPE_CHECKING:
    from warehouse import upkeep

group = typer.Typer(
    help="Check, back up, move, compact and clean the warehouse; let old rows go.", no_args_is_help=True
)
WITHOUT_CATALOG = (
    "without the catalog: snapshots are numbered anew, so that no old plan or stage can be replayed; rows that were let"
    " go or broken off may be back; checksums begin today; checkpoints, blobs and reports stay where they are"
)
Age = Annotated[str, typer.Option("--older-than", help="Age as a number and s, m, h, d or w.")]


@group.command()
def check(
    context: typer.Context,
    salvage: Annotated[
        Path | None,
        typer.Option(
            help="Then build a new home in this folder from the files that are whole, without the catalog where it is "
            "gone or broken; the damaged one stays."
        ),
    ] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Compare every file with its size, blake3 and rows by a full scan; exit code 1 when something is wrong.

    Example: gradatim warehouse check --salvage rescued
    """
    from flows.progress import following
    from flows.settings import prepared
    from flows.steps.upkeep import checked, remedy
    from warehouse import upkeep

    settings, output = prepared(home_of(context)), Output(as_json=as_json)
    found, home = checked(settings), settings.place
    findings = [finding._asdict() for finding in found]
    if salvage is None:
        output.rows(findings) if found or as_json else typer.echo("every file is whole")
        if found:
            say(remedy(home, found))
    else:
        with following("salvage") as tell:
            saved = upkeep.salvage(home, salvage, dry_run=dry_run, tell=tell)
        told = [{"table": table, **counts} for table, counts in saved.items()]
        if as_json:
            output.value({"findings": findings, "salvaged": told})
        else:
            output.rows(findings, title="what is wrong")
            output.rows(told, title=f"what {salvage} {'would hold' if dry_run else 'holds'}")
        if any(finding.problem == "catalog" for finding in found):
            say(WITHOUT_CATALOG)
    if found:
        raise typer.Exit(1)


@group.command()
def backfill(
    context: typer.Context,
    check: Annotated[str, typer.Option(help="Evidence check that is to judge.")],
    since: Annotated[
        str, typer.Option(help="Tasks written since: a date or time (UTC), or an age as 30d.")
    ] = "1970-01-01",
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Judge accepted tasks by a check that is new, or newer than what admitted them; one that fails is quarantined.

    Tasks that the check has decided at its version are left alone, so that a second run does nothing.

    Example: gradatim warehouse backfill --check null_probe --since 2026-11-01 --dry-run
    """
    from datetime import UTC, datetime

    from flows.settings import prepared
    from flows.steps.backfilling import backfilled, moment, planned
    from flows.steps.upkeep import existing_store
    from flows.workshop import looking, workshop

    settings, start = prepared(home_of(context)), moment(since, now=datetime.now(UTC))
    existing_store(settings, read_only=True).close()
    if dry_run:
        with looking(settings) as shop:
            Output(as_json=as_json).value(planned(shop, check, start))
    else:
        with workshop(settings, flow="backfill", config={"check": check, "since": start.isoformat()}) as shop:
            Output(as_json=as_json).value(backfilled(shop, check, start))


@group.command()
def backup(
    context: typer.Context,
    to: Annotated[Path, typer.Argument(help="Folder of the copy; again to the same one copies just what is new.")],
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Copy the home so that the copy works on its own.

    Example: gradatim warehouse backup /backups/tasks
    """
    from flows.progress import following
    from flows.settings import prepared
    from flows.steps.upkeep import existing_store
    from warehouse import upkeep

    with existing_store(prepared(home_of(context)), read_only=dry_run) as store, following("backup") as tell:
        told = _copied(upkeep.lacking(store, to)) if dry_run else {"backup": str(upkeep.backup(store, to, tell=tell))}
        Output(as_json=as_json).value({**told, "snapshot_id": store.snapshot()})


@group.command()
def restore(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(help="Folder of a backup.")],
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Make a new home, the one that --home names, from a backup and check it; exit code 1 when files are broken.

    Example: gradatim --home restored warehouse restore /backups/tasks
    """
    from flows.progress import following
    from warehouse import upkeep

    if dry_run:
        Output(as_json=as_json).value({"home": str(home_of(context)), **_copied(upkeep.held(source, home_of(context)))})
        return
    with following("restore") as tell:
        found = upkeep.restore(source, home_of(context), tell=tell)
    Output(as_json=as_json).value({"home": str(home_of(context)), "findings": [list(finding) for finding in found]})
    if found:
        raise typer.Exit(1)


@group.command()
def move(
    context: typer.Context,
    to: Annotated[list[str], typer.Option(help="postgres:// URL of a catalog, s3:// or folder of files; may repeat.")],
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Copy every row to another catalog and use that from then on; the old files are kept.

    Example: gradatim warehouse move --to postgres://me@db/tasks --to s3://bucket/tasks
    """
    from flows.settings import prepared
    from flows.steps.upkeep import existing_store, moved

    with existing_store(prepared(home_of(context)), read_only=dry_run) as store:
        Output(as_json=as_json).value(moved(store, to, dry_run=dry_run))


@group.command()
def compact(context: typer.Context, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Merge small files; snapshots and rows stay.

    Example: gradatim warehouse compact
    """
    from flows.settings import prepared
    from flows.steps.upkeep import existing_store
    from warehouse import upkeep

    with existing_store(prepared(home_of(context)), read_only=dry_run) as store:
        Output(as_json=as_json).value(upkeep.compact(store, dry_run=dry_run))


@group.command()
def expire(context: typer.Context, older_than: Age = "30d", dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Forget old snapshots that no stage and no plan pins; rows stay.

    Example: gradatim warehouse expire --older-than 30d --dry-run
    """
    from flows.settings import prepared
    from flows.steps.durations import duration
    from flows.steps.upkeep import existing_store
    from warehouse import upkeep

    age = duration(older_than)
    with existing_store(prepared(home_of(context)), read_only=dry_run) as store:
        gone = upkeep.expire(store, older_than=age, dry_run=dry_run)
    Output(as_json=as_json).value({"n_snapshots": len(gone), "snapshots": gone})


@group.command()
def clean(context: typer.Context, older_than: Age = "1d", dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Delete files that no kept snapshot uses and orphans of broken writes.

    Example: gradatim warehouse clean --dry-run
    """
    from flows.settings import prepared
    from flows.steps.durations import duration
    from flows.steps.upkeep import existing_store
    from warehouse import upkeep

    age = duration(older_than)
    with existing_store(prepared(home_of(context))) as store:  # the engine lists orphans of a catalog it may write
        gone = upkeep.clean(store, older_than=age, dry_run=dry_run)
    Output(as_json=as_json).value({"n_files": len(gone), "files": gone})


@group.command()
def retain(
    context: typer.Context,
    rollouts: Annotated[str, typer.Option(help="Age up to which rollouts stay, e.g. 90d.")],
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Delete rollouts older than an age; snapshots from before keep them until they expire.

    Example: gradatim warehouse retain --rollouts 90d --dry-run
    """
    from flows.settings import prepared
    from flows.steps.durations import duration
    from flows.steps.upkeep import existing_store
    from warehouse import upkeep

    age = duration(rollouts)
    with existing_store(prepared(home_of(context)), read_only=dry_run) as store:
        Output(as_json=as_json).value({"n_rollouts": upkeep.retain(store, rollouts=age, dry_run=dry_run)})


@group.command()
def purge(
    context: typer.Context,
    source: Annotated[str, typer.Option(help="Source to take down, with all that was grown from it.")],
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Take a source down: every task, rollout, file, snapshot and export that holds it; cannot be undone.

    Example: gradatim warehouse purge --source gsm8k --dry-run
    """
    from flows.settings import prepared
    from flows.steps.upkeep import existing_store
    from warehouse import upkeep

    with existing_store(prepared(home_of(context)), read_only=dry_run) as store:
        Output(as_json=as_json).value(upkeep.purge(store, source, dry_run=dry_run))


def _copied(files: Sequence[upkeep.Copied]) -> dict[str, object]:
    return {"n_files": len(files), "n_bytes": sum(one.source.stat().st_size for one in files)}


@group.command()
def attach(context: typer.Context, as_json: AsJson = False) -> None:
    """Print the SQL that attaches this warehouse, read-only, in a DuckDB shell or from Python.

    Example: gradatim warehouse attach
    """
    from flows.settings import prepared
    from flows.steps.upkeep import attach_statement

    statement = attach_statement(prepared(home_of(context)))
    if as_json:
        Output(as_json=True).value({"sql": statement})
    else:
        typer.echo(statement)
