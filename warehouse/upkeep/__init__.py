"""Upkeep of a warehouse, only under its lock: compaction, expiry, checks, backups, retention, takedowns, moves."""

from warehouse.upkeep.backup import Copied, backup, held, lacking, restore
from warehouse.upkeep.check import Finding, catalog_findings, check, cut_files
from warehouse.upkeep.compaction import clean, compact, expire
from warehouse.upkeep.move import move
from warehouse.upkeep.rescue import loose_findings
from warehouse.upkeep.salvage import salvage
from warehouse.upkeep.takedown import purge, retain

__all__ = [
    "Copied",
    "Finding",
    "backup",
    "catalog_findings",
    "check",
    "clean",
    "compact",
    "cut_files",
    "expire",
    "held",
    "lacking",
    "loose_findings",
    "move",
    "purge",
    "restore",
    "retain",
    "salvage",
]
