"""How a policy hears an environment: the prompt that opens an episode, and what stands between two of its turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from synth.environments.calls import EXAMPLE
from synth.environments.tools import Tool
from trainer.policies import LoadedPolicy

SAID, HEARD = "@said@", "@heard@"


class Dialogue:
    """Renders for one policy: bare lines for one without a chat template, turns of the template otherwise.

    A template that renders tools gets their schemas, and observations as its tool role; under any other the tools are
    told in words and observations are the user's turns. Only texts of the environment are ever tokenised here: what
    the policy wrote stays the tokens that it sampled.
    """

    def __init__(self, policy: LoadedPolicy, grammar: Literal["json", "terse"]) -> None:
        self._policy, self._grammar = policy, grammar
        self._native = policy.chat and "tools" in str(policy.tokenizer.chat_template)
        self._between = self._middle() if policy.chat else ("", "\n")

    def opening(self, text: str, tools: Sequence[Tool]) -> list[int]:
        """The ids of the prompt: what the environment first shows, and the tools where the policy has to be told."""
        if not self._policy.chat:
            return self._ids(f"{text}\n" if self._grammar == "terse" else f"{self._told(text, tools)}\n")
        shown = text if self._native else self._told(text, tools)
        return self._ids(self._template([{"role": "user", "content": shown}], tools))

    def heard(self, text: str, *, ended: bool) -> list[int]:
        """The ids between two turns: an observation, and before it the end of the turn where `ended` is false."""
        before, after = self._between
        end = self._policy.tokenizer.eos_token
        before = before.removeprefix(end) if ended else before if before.startswith(end) else end + before
        return self._ids(f"{before}{text}{after}")

    def _told(self, text: str, tools: Sequence[Tool]) -> str:
        listed = "\n".join(f"{tool.signature}: {tool.meaning}" for tool in tools)
        return f"{text}\n\nCall one tool at a time, as {EXAMPLE}. Tools:\n{listed}"

    def _middle(self) -> tuple[str, str]:
        """What the template writes between a turn of the policy and an observation, and between that and its next."""
        turns = [
            {"role": "user", "content": "-"},
            {"role": "assistant", "content": SAID},
            {"role": "tool" if self._native else "user", "content": HEARD},
        ]
        before, _, after = self._template(turns, ()).partition(SAID)[2].partition(HEARD)
        return before, after

    def _template(self, turns: Sequence[Any], tools: Sequence[Tool]) -> str:
        schemas = [tool.schema for tool in tools] if self._native and tools else None
        text: str = self._policy.tokenizer.apply_chat_template(
            list(turns), tools=schemas, tokenize=False, add_generation_prompt=True
        )
        return text

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._policy.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids
