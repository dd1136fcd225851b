"""Any policy that transformers can load, in this process, as a text engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from synth.engines import Answered, Ask, ModelConfig, engine_kind
from trainer.config import PolicyConfig
from trainer.engines.pocket_engine import PolicyEngine
from trainer.errors import Diverged
from trainer.policies import LoadedPolicy, load
from warehouse.records import content_hash


class Local:
    """`policy` under the name, lineage and settings of `config`; its version holds the identity of the weights.

    A system text stands before the prompt in one turn: small models' templates have no system turn. `schema` is
    ignored.
    """

    def __init__(self, policy: LoadedPolicy, config: ModelConfig) -> None:
        self.name, self.lineage = config.model, config.lineage
        self.version = content_hash(config.identity, policy.policy_id)[:16]
        self._config, self._inner = config, PolicyEngine(policy)

    def answer(self, asks: Sequence[Ask]) -> list[Answered]:
        """One answer for each ask, in order; weights that have diverged are a failure of all."""
        try:
            return self._inner.answer([self._ask(ask) for ask in asks])
        except Diverged:
            return [Answered(failure="the model's weights have diverged")] * len(asks)

    def _ask(self, ask: Ask) -> Ask:
        config = self._config
        return replace(
            ask,
            prompt=ask.prompt if ask.system is None else f"{ask.system}\n\n{ask.prompt}",
            system=None,
            temperature=ask.temperature if config.temperature is None else config.temperature,
            max_tokens=ask.max_tokens if config.max_tokens is None else config.max_tokens,
        )


@engine_kind("transformers")
def open_local(config: ModelConfig, home: Path) -> Local:
    """The policy that `config.model` names: `pocket`, `smollm`, a folder or a hub name; raises `UserError` if none."""
    return Local(load(PolicyConfig(name=config.model, revision=config.revision or None), home), config)
