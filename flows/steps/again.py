"""A finished stage trained once more from its plan at the snapshot that it pinned, and compared with what is stored."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from flows.progress import Progress
from flows.steps.campaigns import campaign_run, config_of
from flows.steps.planning import stored_plan
from flows.steps.training import FRESH, Kind, stage_file
from flows.workshop import Workshop, code_version
from trainer import stagefile
from trainer.config import TrainerConfig
from trainer.stage import run_stage
from trainer.stagefile import StageFile
from warehouse.errors import UserError
from warehouse.records import DrawRecord, JsonValue, Record, Stage, content_hash

SEE = "see: gradatim sql --named stage_cost"


class Kept:
    """Draws of a stage that nothing stores, by step and slot."""

    def __init__(self) -> None:
        self.draws: dict[tuple[int, int], str] = {}

    def commit(self, records: Iterable[Record], *, batch: str, purpose: str, run: str) -> None:
        """Keep the draws among `records`; the rest is let go."""
        for record in records:
            if isinstance(record, DrawRecord):
                self.draws[record.step, record.slot] = record.task_id


def finished_stage(shop: Workshop, stage_id: str) -> Stage:
    """The finished stage that `stage_id` begins; raises `UserError` unless exactly one with a plan fits."""
    found = shop.store.read(Stage, "starts_with(stage_id, $id) AND status = 'finished'", {"id": stage_id})
    planned = [stage for stage in found if stage.mixture_id]
    if not stage_id or len(planned) != 1:
        raise UserError(f"stage '{stage_id}' matches {len(planned)} finished stages with a plan, must match 1; {SEE}")
    return planned[0]


def file_again(shop: Workshop, stage: Stage) -> StageFile:
    """What the stage was started from, to be trained under another id: nothing of today's pool is in it.

    The file that it left in the spool, where that is still there, else the same from the rows of its plan.
    """
    left = Path(shop.home.root) / "spool" / stage.stage_id / f"{stage.attempt:03d}" / "stage.toml"
    if left.is_file():
        file = stagefile.read(left)
    else:
        mixture = stored_plan(shop, str(stage.mixture_id))
        config = config_of(campaign_run(shop.store, stage.campaign_id), stage.campaign_id)
        settings = {key: value for key, value in stage.config.items() if key != FRESH}
        kind: Kind = "sft" if stage.kind == "sft" else "grpo"
        fresh = bool(stage.config.get(FRESH))
        file = stage_file(shop, config, mixture, index=stage.stage_index, fresh=fresh, kind=kind)
        file = file.model_copy(update={"trainer": TrainerConfig.model_validate(settings)})
    name = content_hash("again", stage.stage_id)
    return file.model_copy(
        update={
            "home": str(shop.home.root),
            "run_id": shop.run,
            "stage_id": name,
            "attempt": 0,
            "snapshot_id": stage.snapshot_id,
        }
    )


def train_again(shop: Workshop, stage_id: str, *, dry_run: bool = False) -> Mapping[str, JsonValue]:
    """Train a finished stage once more at its pinned snapshot and say how far it is the same; nothing is stored.

    {"stage_id", "snapshot_id", "n_draws", "n_draws_equal", "policy_out", "policy_again", "code_then", "code_now"}: the
    same code on the same kind of machine makes the same policy. With `dry_run` what would be trained is told.
    Raises `UserError` for a stage that is not finished or whose snapshot is gone.
    """
    stage = finished_stage(shop, stage_id)
    shop.store.at(stage.snapshot_id).close()
    file, kept = file_again(shop, stage), Kept()
    told: dict[str, JsonValue] = {
        "stage_id": stage.stage_id,
        "snapshot_id": stage.snapshot_id,
        "code_then": stage.code_version,
        "code_now": code_version(),
    }
    if dry_run:
        return told | {"n_steps": file.last_step - file.first_step}
    _clear(file)
    try:
        with Progress("again", total=file.last_step - file.first_step) as progress:
            made = run_stage(
                file, kept, progress=lambda step: progress.to(int(step["step"]), "") if "step" in step else None
            )
    finally:
        _clear(file)
    rows = shop.store.read(DrawRecord, "stage_id = $id", {"id": stage.stage_id})
    stored = {(row.step, row.slot): row.task_id for row in sorted(rows, key=lambda row: row.stage_attempt)}
    return told | {
        "n_draws": len(kept.draws),
        "n_draws_equal": len(kept.draws.items() & stored.items()),
        "policy_out": stage.policy_out,
        "policy_again": made.policy_id,
    }


def _clear(file: StageFile) -> None:
    for folder in (file.folder, file.spool.parent):
        shutil.rmtree(folder, ignore_errors=True)
