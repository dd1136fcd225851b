"""Which tasks a campaign trains and is measured on."""

from __future__ import annotations

from collections.abc import Sequence

from flows.campaign import CampaignConfig
from flows.workshop import Workshop
from synth.family import FAMILIES
from synth.tasks import OWN_SOURCE
from warehouse.errors import UserError
from warehouse.records import Domain, Split, Task, TaskKind


def training_tasks(shop: Workshop, config: CampaignConfig) -> list[Task]:
    """Accepted tasks of the train split, sorted by id.

    The verifiable ones in the campaign's families, sources and styles, and every rubric task where it trains on them.
    """
    wanted = {*config.synthesis.families, *config.synthesis.sources, *config.written_families}
    return _tasks(shop, wanted, Split.TRAIN, config.synthesis.train_on)


def families_of(shop: Workshop, config: CampaignConfig) -> frozenset[str]:
    """The families that a campaign trains on: its own, its sources and styles, and those of rubric tasks if it does."""
    wanted = {*config.synthesis.families, *config.synthesis.sources, *config.written_families}
    if TaskKind.NON_VERIFIABLE in config.synthesis.train_on:
        rows = shop.store.rows("SELECT DISTINCT family FROM current_tasks WHERE kind = 'non_verifiable'")
        wanted |= {str(row["family"]) for row in rows}
    return frozenset(wanted)


def heldout_tasks(shop: Workshop, config: CampaignConfig) -> list[Task]:
    """Accepted, verifiable tasks of the held-out split, those of unseen families included, sorted by id.

    Tasks that a model wrote are left out, unless their source is named: what is measured rests on no model's word.
    """
    sources = {OWN_SOURCE, *config.synthesis.sources}
    wanted = {*config.synthesis.families, *config.synthesis.sources, *config.evaluation.unseen_families}
    return [task for task in _tasks(shop, wanted, Split.HELDOUT) if task.source in sources]


def trained_on(shop: Workshop, config: CampaignConfig) -> str:
    """Which families and sources a configuration trains on, and which accepted tasks it leaves out, as one line."""
    own, sources = config.synthesis.families, config.synthesis.sources
    rows = shop.store.rows(
        "SELECT family, count(*) AS n FROM current_tasks WHERE status = 'accepted' AND split = 'train' "
        "AND kind = 'verifiable' GROUP BY family ORDER BY family"
    )
    known = {*own, *sources, *config.written_families, *config.evaluation.unseen_families}
    others = {str(row["family"]): int(row["n"]) for row in rows if row["family"] not in known}
    imported = f"the imported sources {', '.join(sources)}" if sources else "no imported source"
    told = f"trains on the families {', '.join(own) or 'none'} and {imported}"
    if not others:
        return told
    left = ", ".join(f"{name} {n}" for name, n in others.items())
    keys = sorted({"synthesis.families" if name in FAMILIES.names() else "synthesis.sources" for name in others})
    return (
        f"{told}; accepted tasks left out: {sum(others.values())} ({left}); "
        f"to add them, name them in {' and '.join(keys)} of a file for --config"
    )


def _tasks(
    shop: Workshop, wanted: set[str], split: Split, buckets: Sequence[str] = (TaskKind.VERIFIABLE,)
) -> list[Task]:
    found = [task for task in shop.store.tasks(split=split) if task.kind in buckets and _fits(task, wanted)]
    if not found:
        raise UserError(
            f"no accepted {split} task in the families {', '.join(sorted(wanted))}; see: gradatim synth --help"
        )
    return found


def _fits(task: Task, wanted: set[str]) -> bool:
    """Whether a task is asked for: by its family, or as one of the rubric tasks, which are a bucket of their own."""
    if task.kind is TaskKind.NON_VERIFIABLE:
        return task.domain is Domain.RUBRIC and bool(task.params.get("criteria"))
    return task.family in wanted
