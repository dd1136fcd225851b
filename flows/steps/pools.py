"""Which tasks a campaign trains and is measured on."""

from __future__ import annotations

from flows.campaign import CampaignConfig
from flows.workshop import Workshop
from warehouse.errors import UserError
from warehouse.records import Split, Task, TaskKind


def training_tasks(shop: Workshop, config: CampaignConfig) -> list[Task]:
    """Accepted, verifiable tasks of the train split in the campaign's families and sources, sorted by id."""
    return _tasks(shop, config, Split.TRAIN)


def heldout_tasks(shop: Workshop, config: CampaignConfig) -> list[Task]:
    """Accepted, verifiable tasks of the held-out split in the campaign's families and sources, sorted by id."""
    return _tasks(shop, config, Split.HELDOUT)


def _tasks(shop: Workshop, config: CampaignConfig, split: Split) -> list[Task]:
    wanted = {*config.synthesis.families, *config.synthesis.sources}
    found = [
        task for task in shop.store.tasks(split=split) if task.family in wanted and task.kind is TaskKind.VERIFIABLE
    ]
    if not found:
        raise UserError(
            f"no accepted {split} task in the families {', '.join(sorted(wanted))}; see: gradatim synth --help"
        )
    return found
