"""Upkeep of the warehouse: small files merged, unused ones deleted, every file checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.orchestration import UPKEEP, step, verb_flow
from flows.settings import at_home
from flows.steps import upkeep as steps
from warehouse.records import JsonValue

tend = step("upkeep", retries=2, shares=UPKEEP)(steps.tend)


@verb_flow("upkeep")
def upkeep(home: Path | None = None, expire_days: float | None = None) -> Mapping[str, JsonValue]:
    """Compact, forget unpinned snapshots older than `expire_days` (none: keep all), clean and check.

    Returns {"n_files_before", "n_files_after", "expired", "deleted", "n_findings"}. Raises `WarehouseDamaged` when a
    file is not what it was.
    """
    return tend(at_home(home), expire_days=expire_days)
