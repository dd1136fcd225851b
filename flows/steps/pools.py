"""Which tasks a campaign trains and is measured on."""

from __future__ import annotations

from flows.campaign import CampaignConfig
from flows.workshop import Workshop
from warehouse.errors import UserError
from warehouse.records import Split, Task, TaskKind


def training_tasks(shop: Workshop, config: CampaignConfig) -> list[Task]:
    """Accepted, verifiable tasks of the train split in the campaign's families and sources, sorted by id."""
    return _tasks(shop, {*config.synthesis.families, *config.synthesis.sources}, Split.TRAIN)


def heldout_tasks(shop: Workshop, config: CampaignConfig) -> list[Task]:
    """Accepted, verifiable tasks of the held-out split, those of unseen families included, sorted by id."""
    seen = {*config.synthesis.families, *config.synthesis.sources}
    return _tasks(shop, {*seen, *config.evaluation.unseen_families}, Split.HELDOUT)


def _tasks(shop: Workshop, wanted: set[str], split: Split) -> list[Task]:
    found = [
        task for task in shop.store.tasks(split=split) if task.family in wanted and task.kind is TaskKind.VERIFIABLE
    ]
    if not found:
        raise UserError(
            f"no accepted {split} task in the families {', '.join(sorted(wanted))}; see: gradatim synth --help"
        )
    return found
