"""vLLM in this process as a text engine; the package is an extra and is imported when a model is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from synth.engines import Answered, Ask, ModelConfig, Reply, engine_kind
from warehouse.errors import UserError
from warehouse.records import FinishReason

ENDS = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH}


class Vllm:
    """A model that vLLM has loaded; it batches by itself, and schemas are enforced."""

    def __init__(self, config: ModelConfig, llm: Any) -> None:
        self.name, self.lineage, self.version = config.model, config.lineage, config.identity
        self._config, self._llm = config, llm

    def answer(self, asks: Sequence[Ask]) -> list[Answered]:
        """One answer for each ask, in order; one that does not fit the context has none, with the reason."""
        import vllm

        turns = [_turns(ask) for ask in asks]
        params = [vllm.SamplingParams(**self.sampling(ask)) for ask in asks]
        try:
            outputs = self._llm.chat(turns, params, use_tqdm=False)
        except ValueError:
            if len(asks) == 1:
                return [Answered(failure="vLLM refuses the prompt")]
            return [answered for ask in asks for answered in self.answer([ask])]
        return [_answered(output, ask.n) for ask, output in zip(asks, outputs, strict=True)]

    def sampling(self, ask: Ask) -> Mapping[str, Any]:
        """What vLLM's sampling parameters are made of."""
        config = self._config
        wanted: dict[str, Any] = {
            "n": ask.n,
            "temperature": ask.temperature if config.temperature is None else config.temperature,
            "max_tokens": ask.max_tokens if config.max_tokens is None else config.max_tokens,
            "seed": ask.seed,
        }
        if ask.schema is not None:
            from vllm.sampling_params import StructuredOutputsParams

            wanted["structured_outputs"] = StructuredOutputsParams(json=dict(ask.schema))
        return wanted


@engine_kind("vllm")
def open_vllm(config: ModelConfig, home: Path) -> Vllm:
    """The model that `config` names, loaded by vLLM; raises `UserError` where vLLM is not installed."""
    if find_spec("vllm") is None:
        raise UserError("engine 'vllm' needs the package vllm; see: pip install 'gradatim[vllm]'")
    import vllm

    folder = home / config.model
    name = str(folder) if (folder / "config.json").is_file() else config.model
    return Vllm(config, vllm.LLM(model=name, revision=config.revision or None))


def _turns(ask: Ask) -> list[dict[str, str]]:
    system = [] if ask.system is None else [{"role": "system", "content": ask.system}]
    return [*system, {"role": "user", "content": ask.prompt}]


def _answered(output: Any, n: int) -> Answered:
    replies = tuple(
        Reply(one.text, len(one.token_ids), ENDS.get(one.finish_reason, FinishReason.ERROR)) for one in output.outputs
    )
    n_prompt = len(output.prompt_token_ids or ())
    if len(replies) != n:
        return Answered(n_prompt_tokens=n_prompt, failure="fewer choices than asked")
    return Answered(replies=replies, n_prompt_tokens=n_prompt)
