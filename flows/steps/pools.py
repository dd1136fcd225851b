"""Which tasks a campaign trains and is measured on."""

from __future__ import annotations

from flows.campaign import CampaignConfig
from flows.workshop import Workshop
from synth.tasks import OWN_SOURCE
from warehouse.errors import UserError
from warehouse.records import Split, Task, TaskKind


def training_tasks(shop: Workshop, config: CampaignConfig) -> list[Task]:
    """Accepted, verifiable tasks of the train split in the campaign's families and sources, sorted by id."""
    return _tasks(shop, {*config.synthesis.families, *config.synthesis.sources}, Split.TRAIN)


def heldout_tasks(shop: Workshop, config: CampaignConfig) -> list[Task]:
    """Accepted, verifiable tasks of the held-out split, those of unseen families included, sorted by id.

    Tasks that a model wrote are left out, unless their source is named: what is measured rests on no model's word.
    """
    sources = {OWN_SOURCE, *config.synthesis.sources}
    wanted = {*config.synthesis.families, *config.synthesis.sources, *config.evaluation.unseen_families}
    return [task for task in _tasks(shop, wanted, Split.HELDOUT) if task.source in sources]


def _tasks(shop: Workshop, wanted: set[str], split: Split) -> list[Task]:
    found = [
        task for task in shop.store.tasks(split=split) if task.family in wanted and task.kind is TaskKind.VERIFIABLE
    ]
    if not found:
        raise UserError(
            f"no accepted {split} task in the families {', '.join(sorted(wanted))}; see: gradatim synth --help"
        )
    return found
