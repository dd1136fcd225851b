"""The configured models, opened: each behind one cache of replies in the home and one purse for the run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from synth.engines import Budgeted, Cached, Engine, EngineReferee, ModelConfig, ModelsConfig, Purse
from synth.engines.server import open_server
from warehouse.blobs import Blobs
from warehouse.errors import UserError
from warehouse.home import Home


class Models:
    """Engines by role; a model is loaded when it is first asked for."""

    def __init__(self, config: ModelsConfig, home: Home, texts: Blobs) -> None:
        self.config, self.purse = config, Purse(config.budget)
        self._home, self._texts = home, texts
        self._open: dict[ModelConfig, Engine] = {}

    @property
    def writer(self) -> Engine:
        """The model that writes; raises `UserError` when none is configured."""
        return self._engine("writer", self.config.writer)

    @property
    def checker(self) -> Engine:
        """The model that solves blind; raises `UserError` when none is configured."""
        return self._engine("checker", self.config.checker)

    @property
    def second_judge(self) -> Engine:
        """The referee's model, which judges rubrics beside the checker; raises `UserError` when none is configured."""
        return self._engine("referee", self.config.referee)

    @property
    def referee(self) -> EngineReferee | None:
        """The model that graders ask, where one is configured."""
        return EngineReferee(self._engine("referee", self.config.referee)) if self.config.referee else None

    def _engine(self, role: str, config: ModelConfig | None) -> Engine:
        if config is None:
            flag = "" if role == "referee" else f"--{role} or "
            raise UserError(f"no {role} is configured; give {flag}[models.{role}]; see: gradatim synth --help")
        if config not in self._open:
            from trainer.engines.referee import open_engine

            inner = open_engine(config, self._home.root)
            self._open[config] = Cached(Budgeted(inner, self.purse, config), self._texts)
        return self._open[config]


@contextmanager
def opened(config: ModelsConfig, home: Home) -> Iterator[Models]:
    """The models of `config` until the block ends."""
    with Blobs(home.blobs / "replies.sqlite") as texts:
        yield Models(config, home, texts)


def health(config: ModelsConfig) -> dict[str, bool]:
    """Whether each configured server answers to a look at its models; raises `UserError` for a key that is not set."""
    found: dict[str, bool] = {}
    for model in (config.writer, config.checker, config.referee):
        if model is not None and model.endpoints:
            found |= open_server(model, Path()).healthy()
    return found
