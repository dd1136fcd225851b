"""The file that a stage is started from: everything a process needs to train it, by hand or from a flow."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, JsonValue, ValidationError

from synth.graders.config import with_stack
from trainer.config import Frozen, TrainerConfig
from warehouse.errors import UserError


class StageFile(Frozen):
    """One stage: what to read, what to continue from, what to draw, how to train."""

    home: str
    """Folder of the warehouse, its checkpoints and its spool."""
    run_id: str
    """Invocation that rows are stamped with."""
    stage_id: str
    """Hash of the sorted input task ids and the configuration."""
    kind: Literal["grpo", "sft"] = "grpo"
    """`grpo` reinforces; `sft` imitates verified solutions until entropy nears its floor."""
    stage_index: int = Field(0, ge=0)
    """Place within the campaign."""
    attempt: int = Field(0, ge=0)
    """Which try of the stage."""
    snapshot_id: int = Field(ge=0)
    """Warehouse snapshot whose tasks are read."""
    seed: int = Field(0, ge=0)
    """The campaign's seed."""
    policy: str
    """Folder of the policy to train, relative to the home."""
    policy_id: str | None = None
    """Its identity in the warehouse, by which its line's earlier groups are found; none starts without them."""
    continue_from: str | None = None
    """Checkpoint whose optimizer, schedule and curriculum go on; none starts them afresh."""
    reference: str | None = None
    """Folder of the reference policy for the KL term; none means `policy`."""
    first_step: int = Field(0, ge=0)
    """Optimizer steps of the campaign before this stage, under the optimizer that goes on."""
    scheduler: str = "frontier"
    """Scheduler that draws within the stage."""
    scheduler_config: dict[str, JsonValue] = Field(default_factory=dict)
    """Its settings; `weights` is the plan."""
    arms: tuple[str, ...] = ()
    """Arms to draw from; empty means all that the snapshot's accepted train tasks have."""
    trainer: TrainerConfig = TrainerConfig()
    """Policy, sampling, stage and guard."""

    @property
    def first_batch(self) -> int:
        """Generation batches of the campaign before this stage: a scheduler's clock, several updates a batch or one."""
        return self.first_step // self.trainer.stage.num_iterations

    @property
    def last_step(self) -> int:
        """Optimizer steps of the campaign at the stage's end."""
        own = self.trainer.sft if self.kind == "sft" else self.trainer.stage
        return self.first_step + own.n_steps

    @property
    def folder(self) -> Path:
        """Where the stage keeps its checkpoints."""
        return Path(self.home) / "checkpoints" / self.stage_id

    @property
    def spool(self) -> Path:
        """Where this attempt writes rows for the warehouse."""
        return Path(self.home) / "spool" / self.stage_id / f"{self.attempt:03d}"


def read(path: Path) -> StageFile:
    """The stage in a TOML file; raises `UserError` with the first thing that is wrong with it."""
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
        if isinstance(tables.get("trainer"), dict):
            tables["trainer"] = with_stack(tables["trainer"], path.parent)
        return StageFile.model_validate(tables)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"stage file '{path}' cannot be read: {error}; see: gradatim train --help") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise UserError(f"stage file '{path}': {place}: {first['msg']}; see: gradatim train --help") from error


def write(stage: StageFile, path: Path) -> Path:
    """`stage` as TOML at `path`; `read` gives it back."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(_lines(stage.model_dump(mode="json"), ())) + "\n", "utf-8")
    return path


def _lines(table: Mapping[str, Any], place: tuple[str, ...]) -> list[str]:
    plain = {key: value for key, value in table.items() if not isinstance(value, Mapping) and value is not None}
    lines = [f"{_text(key)} = {_text(value)}" for key, value in plain.items()]
    for key, value in table.items():
        if isinstance(value, Mapping) and value:
            inner = (*place, key)
            lines += ["", f"[{'.'.join(_text(part) for part in inner)}]", *_lines(value, inner)]
    return lines


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_text(key)} = {_text(own)}' for key, own in value.items() if own is not None)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_text(own) for own in value)}]"
    return json.dumps(value, ensure_ascii=False)
