"""Kinds of engines by name, added by decorator or entry point: how a configured model is opened."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from synth.engines.config import ModelConfig
from synth.engines.protocol import Engine
from synth.registry import Registry, defining_file

Opener = Callable[[ModelConfig, Path], Engine]
"""Makes an engine from its configuration and the home's folder."""


def _load_own_kinds() -> None:
    importlib.import_module("synth.engines.server")


ENGINES: Registry[Opener] = Registry(
    "engine", group="gradatim.engines", see="gradatim synth --help", load=_load_own_kinds
)


Opens = TypeVar("Opens", bound=Opener)


def engine_kind(name: str) -> Callable[[Opens], Opens]:
    """Decorator that registers a function as the way to open engines of the kind `name`."""

    def register(opener: Opens) -> Opens:
        ENGINES.add(name, opener, file=defining_file(opener))
        return opener

    return register
