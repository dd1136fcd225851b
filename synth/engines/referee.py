"""The referee of a grader stack: any engine, asked greedily."""

from __future__ import annotations

from collections.abc import Sequence

from synth.engines.protocol import Ask, Engine

MAX_TOKENS = 64
"""Tokens of a referee's reply: its nonce and a word."""


class EngineReferee:
    """`engine` as a referee; where it fails its reply is empty, which graders read as no clear answer."""

    def __init__(self, engine: Engine, *, max_tokens: int = MAX_TOKENS) -> None:
        self._engine, self._max_tokens = engine, max_tokens
        self.lineage = engine.lineage

    def ask(self, prompts: Sequence[str]) -> list[str]:
        """One reply for each prompt."""
        asks = [Ask(prompt=prompt, temperature=0.0, max_tokens=self._max_tokens) for prompt in prompts]
        return [answered.replies[0].text if answered.replies else "" for answered in self._engine.answer(asks)]
