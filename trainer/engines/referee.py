"""The referee of a stage's grader stack: a configured model behind the home's cache of replies."""

from __future__ import annotations

import importlib
from pathlib import Path

from synth.engines import ENGINES, Cached, Engine, EngineReferee, ModelConfig
from warehouse.blobs import Blobs
from warehouse.home import Home

LOCAL = ("trainer.engines.local", "trainer.engines.vllm_engine")
"""Modules that add the engines which run in this process."""


def open_engine(config: ModelConfig, home: Path) -> Engine:
    """The engine that `config` names; raises `UserError` when it cannot be opened."""
    for module in LOCAL:
        importlib.import_module(module)
    return ENGINES.get(config.engine)(config, home)


def referee_of(config: ModelConfig | None, home: Path) -> EngineReferee | None:
    """The model that graders ask, where one is configured; the same question is asked once in the home's life."""
    if config is None:
        return None
    texts = Blobs(Home.at(home).blobs / "replies.sqlite")
    return EngineReferee(Cached(open_engine(config, home), texts))
