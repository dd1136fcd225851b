"""The pocket writer and checker, taught once for each configuration and kept as checkpoints of the home."""

from __future__ import annotations

import shutil
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from flows.elsewhere import drawn_elsewhere
from flows.progress import Progress
from flows.workshop import Workshop
from trainer import policies
from trainer.checkpoints import seal, verify
from trainer.engines.config import WritingConfig
from trainer.engines.pocket_engine import PolicyEngine
from trainer.engines.pocket_models import CHECKER, WRITER
from trainer.engines.pocket_training import THREADS, taught
from trainer.errors import CheckpointBroken
from trainer.policies import LoadedPolicy
from warehouse.records import JsonValue, content_hash


class Pair(NamedTuple):
    """Two models of different lineage: one writes tasks, the other solves them blind."""

    writer: PolicyEngine
    checker: PolicyEngine


def pocket_pair(shop: Workshop, config: WritingConfig, seed: int) -> Pair:
    """Both models, from the home where they are whole there, else taught now."""
    models = [drawn_elsewhere(shop.settings, _model(shop, name, config, seed)) for name in (WRITER, CHECKER)]
    return Pair(*(PolicyEngine(model, threads=THREADS) for model in models))


def _model(shop: Workshop, name: str, config: WritingConfig, seed: int) -> LoadedPolicy:
    learner = config.writer if name == WRITER else config.checker
    versions: list[JsonValue] = [version("torch"), version("transformers")]
    taught_by: list[JsonValue] = [learner.model_dump(mode="json"), list(config.families), list(config.levels), seed]
    key = content_hash("pocket model", name, taught_by, versions)
    folder = shop.home.checkpoints / key
    if not _whole(folder):
        with Progress(f"teach {name}", total=learner.n_steps) as progress:
            policy = taught(
                name, config, seed=seed, progress=lambda step, loss: progress.to(step + 1, f"loss {loss:.3f}")
            )
        shutil.rmtree(folder, ignore_errors=True)
        policies.save(policy, folder)
        seal(folder, step=learner.n_steps, state={})
    policy = policies.load(str(folder), shop.home.root)
    if not shop.seen(key):
        shop.commit([policies.record(policy, shop.home.root)], batch=key, purpose=f"teach {name}")
    return policy


def _whole(folder: Path) -> bool:
    try:
        verify(folder)
    except CheckpointBroken:
        return False
    return True
