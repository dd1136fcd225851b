"""Upkeep of an existing warehouse, and where it is attached from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from flows.progress import following
from flows.settings import Settings
from flows.workshop import open_store
from warehouse.backups import last_backup, way_back
from warehouse.errors import GradatimError, UserError
from warehouse.failures import WarehouseFailed
from warehouse.home import Home, without_password
from warehouse.object_store import is_object_store
from warehouse.people_sql import attach_line
from warehouse.records import JsonValue
from warehouse.store import Store
from warehouse.upkeep import Finding, catalog_findings, check, clean, compact, expire, loose_findings, move

POSTGRES = ("postgres://", "postgresql://")


class WarehouseDamaged(GradatimError):
    """Upkeep found files that are not what they were."""


def tend(settings: Settings, *, expire_days: float | None = None) -> Mapping[str, JsonValue]:
    """Compact, expire, clean and check; each is safe to repeat. Raises `WarehouseDamaged` when a file is broken."""
    with existing_store(settings) as store:
        merged = compact(store)
        expired = expire(store, older_than=timedelta(days=expire_days)) if expire_days is not None else []
        deleted = clean(store)
        with following("check") as tell:
            findings = check(store, tell=tell)
    if findings:
        first = findings[0]
        raise WarehouseDamaged(
            f"{len(findings)} files are damaged, first {first.path}: {first.problem}; see: gradatim warehouse check"
        )
    return {**merged, "expired": len(expired), "deleted": len(deleted), "n_findings": 0}


def checked(settings: Settings) -> list[Finding]:
    """What is wrong with the warehouse; where its catalog cannot be opened, which files cannot be read either."""
    home = settings.place
    if home.lost_catalog:
        return catalog_findings(home) + loose_findings(home)
    try:
        with existing_store(settings, read_only=True) as store, following("check") as tell:
            return check(store, tell=tell)
    except WarehouseFailed:
        if found := catalog_findings(home):
            return found + loose_findings(home)
        raise


def remedy(home: Home, findings: Sequence[Finding]) -> str:
    """The next command for what `checked` found."""
    if any(finding.problem == "catalog" for finding in findings):
        return f"the catalog is broken; {way_back(home)}"
    if last_backup(home) is not None:
        return way_back(home)
    return f"what is whole goes into a new home by: gradatim --home {home.root} warehouse check --salvage FOLDER"


def existing_store(settings: Settings, *, read_only: bool = False) -> Store:
    """The warehouse of `settings`; raises `UserError` instead of making one."""
    if not settings.place.exists:
        raise UserError(f"there is no warehouse in {settings.home}; see: gradatim --home DIR import|synth|run")
    return open_store(settings, read_only=read_only)


def attach_statement(settings: Settings) -> str:
    """The statement that attaches this warehouse read-only in any DuckDB client, without a password."""
    url = settings.catalog_url.get_secret_value() if settings.catalog_url else None
    home = Home.at(settings.home, catalog_url=without_password(url))
    if not home.exists:
        raise UserError(f"there is no warehouse in {settings.home}; see: gradatim --home DIR import|synth|run")
    return attach_line(home)


def moved(store: Store, urls: Sequence[str], *, dry_run: bool) -> Mapping[str, JsonValue]:
    """Move to a `postgres://` catalog and/or another place for the files; rows by table. Counts only on a dry run."""
    catalogs = [url for url in urls if url.startswith(POSTGRES)]
    places = [url for url in urls if not url.startswith(POSTGRES)]
    if len(catalogs) > 1 or len(places) > 1:
        raise UserError(
            f"move got {len(catalogs)} catalogs and {len(places)} places for files, at most 1 each; "
            "see: gradatim warehouse move --help"
        )
    for place in places:
        is_object_store(place)  # refuses a kind that is not known
    if dry_run:
        return {"catalog": without_password(next(iter(catalogs), None)), "data": next(iter(places), None)}
    with following("move") as tell:
        return dict(move(store, catalog_url=next(iter(catalogs), None), data_url=next(iter(places), None), tell=tell))
