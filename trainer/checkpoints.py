"""Checkpoints that are whole or not there: a mark written last, verified before anything resumes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from trainer.errors import CheckpointBroken
from trainer.weights import policy_identity, weights_hash
from warehouse.errors import UserError

MARK = "gradatim.json"
"""The last file of a checkpoint: step, weights hash, policy, and the curriculum's state."""


class Checkpoint(NamedTuple):
    """A verified checkpoint: its folder, the campaign step it stands at, its policy and the curriculum's state."""

    folder: Path
    step: int
    policy_id: str
    weights_hash: str
    state: Mapping[str, Any]


def seal(folder: Path, *, step: int, state: Mapping[str, Any]) -> Checkpoint:
    """Mark `folder` as whole, with the hash of its weights; the mark appears at once or not at all."""
    digest, policy = weights_hash(folder), policy_identity(folder)
    mark = {"step": step, "weights_hash": digest, "policy_id": policy, "state": dict(state)}
    draft = folder / f"{MARK}.tmp"
    draft.write_text(json.dumps(mark), "utf-8")
    os.replace(draft, folder / MARK)
    return Checkpoint(folder, step, policy, digest, state)


def verify(folder: Path) -> Checkpoint:
    """The checkpoint in `folder`; raises `CheckpointBroken` when it is half written or its weights changed."""
    try:
        mark = json.loads((folder / MARK).read_text("utf-8"))
        digest = weights_hash(folder)
    except (OSError, ValueError, UserError) as error:
        raise CheckpointBroken(f"checkpoint '{folder}' is not whole: {error}") from error
    if digest != mark["weights_hash"]:
        raise CheckpointBroken(
            f"checkpoint '{folder}' holds weights {digest[:12]}, its mark says {mark['weights_hash'][:12]}"
        )
    return Checkpoint(folder, mark["step"], mark["policy_id"], digest, mark["state"])


def newest(folder: Path) -> Checkpoint | None:
    """The newest whole checkpoint below `folder`; half-written ones are removed."""
    best: Checkpoint | None = None
    for candidate in sorted(folder.glob("checkpoint-*")):
        try:
            found = verify(candidate)
        except CheckpointBroken:
            shutil.rmtree(candidate, ignore_errors=True)
            continue
        if best is None or found.step > best.step:
            best = found
    return best
