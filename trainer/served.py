"""Sampling from a running vLLM server, which takes the policy's new weights by path."""

from __future__ import annotations

import copy
import math
import os
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from synth.engines.exchange import exchange
from trainer.errors import ServerFailed
from trainer.policies import load
from trainer.rollout import Tokens

AGREEMENT = 0.1
"""Nats a token that trainer and server may differ in; bfloat16 against float32 is some hundredths."""
TIMEOUT_S = 600.0
"""Seconds that one batch, or one change of weights, may take."""
WAITS_S = (0.0, 1.0, 5.0, 20.0)
"""Seconds before each try; weights and seeded samples may be asked for again."""


def save_untied(model: Any, folder: Path) -> None:
    """Write `model` with an output matrix of its own: of one that is tied to the input's, vLLM 0.32 reloads a part."""
    config, weights = copy.deepcopy(model.config), model.state_dict()
    config.tie_word_embeddings = False
    output = "lm_head.weight"
    weights[output] = weights[output].clone()
    config.save_pretrained(folder)
    save_file(
        {name: value.contiguous() for name, value in weights.items()}, folder / "model.safetensors", {"format": "pt"}
    )


@torch.no_grad()
def gaps_of(model: Any, prompt: Sequence[int], row: Tokens, temperature: float = 1.0) -> list[float]:
    """How far each of a row's log-probabilities lies from the model's own, nats."""
    was_training, device = model.training, next(model.parameters()).device
    model.eval()
    ids = torch.tensor([[*prompt, *row.ids]], device=device)
    logits = model(input_ids=ids).logits[0, len(prompt) - 1 : -1].float() / temperature
    model.train(was_training)
    own = logits.log_softmax(-1).gather(1, ids[0, len(prompt) :, None])[:, 0]
    gaps: list[float] = (own.cpu() - torch.tensor(row.logprobs)).abs().tolist()
    return gaps


class ServedPolicy:
    """A policy in training that a vLLM server samples, which sees `folder` under the same path.

    The server was started on what `save_untied` wrote of the policy, in the policy's precision, with
    `VLLM_SERVER_DEV_MODE=1`, so that it reloads weights, and `--logprobs-mode processed_logprobs`, so that its
    log-probabilities are those of the distribution sampled from. Nothing is sampled before weights are published.
    """

    def __init__(self, url: str, folder: Path) -> None:
        self._url, self._folder = url.rstrip("/").removesuffix("/v1"), folder
        self._name: str | None = None
        self._n_published = 0
        self._unchecked: Any = None

    def publish(self, model: Any) -> None:
        """Write the weights of `model`, whole or not at all, and have the server sample with them from now on.

        Raises `ServerFailed` when the server does not take them.
        """
        self._n_published += 1
        path, draft = self._folder / f"served-{self._n_published % 2}", self._folder / "served.tmp"
        for old in (path, draft):
            shutil.rmtree(old, ignore_errors=True)
        save_untied(model, draft)
        os.replace(draft, path)
        self._ask("/collective_rpc", {"method": "reload_weights", "kwargs": {"weights_path": str(path.resolve())}})
        self._ask("/reset_prefix_cache", {}, answered=False)
        self._unchecked = model

    def decode(
        self,
        prompts: Sequence[Sequence[int]],
        *,
        n: int,
        temperature: float,
        max_tokens: int,
        end_ids: Sequence[int],
        seed: int,
    ) -> list[Tokens]:
        """`n` sampled sequences for each prompt, prompt by prompt, as `trainer.rollout.decode` gives them.

        The server tells no entropy: `mean_entropy` is NaN. Raises `ServerFailed` for an answer that is not whole, and
        when the first prompt's sequences after new weights were published are not of those weights.
        """
        asked = {
            "model": self._model(),
            "prompt": [list(ids) for ids in prompts],
            "n": n,
            "temperature": temperature,
            "top_p": 1.0,
            "top_k": -1,
            "max_tokens": max_tokens,
            "seed": seed % 2**31,
            "logprobs": 0,
            "ignore_eos": True,
            "stop_token_ids": list(end_ids),
            "return_token_ids": True,
        }
        answer = self._ask("/v1/completions", asked)
        try:
            rows = [_row(one) for one in sorted(answer["choices"], key=lambda one: int(one["index"]))]
        except (KeyError, TypeError, ValueError) as error:
            raise ServerFailed(f"{self._url} gives no token ids with their log-probabilities") from error
        if len(rows) != len(prompts) * n:
            raise ServerFailed(f"{self._url} gave {len(rows)} completions, {len(prompts) * n} were asked for")
        if self._unchecked is not None and temperature > 0:
            self._check(self._unchecked, prompts[0], rows[:n], temperature)
            self._unchecked = None
        return rows

    def _check(self, model: Any, prompt: Sequence[int], rows: Sequence[Tokens], temperature: float) -> None:
        """Raise `ServerFailed` when the server's log-probabilities of `rows` are not those of `model`."""
        gaps = [gap for row in rows for gap in gaps_of(model, prompt, row, temperature)]
        apart = sum(gaps) / len(gaps)
        if not apart <= AGREEMENT:
            raise ServerFailed(
                f"{self._url} samples with other weights than those published: {apart:.2f} nats a token apart; start "
                "it on a folder that `python -m trainer.served POLICY FOLDER` wrote; see: docs/guides/training.md"
            )

    def close(self) -> None:
        """Remove the weights that the server has read."""
        for path in self._folder.glob("served*"):
            shutil.rmtree(path)

    def _model(self) -> str:
        if self._name is None:
            try:
                self._name = str(self._ask("/v1/models", None)["data"][0]["id"])
            except (KeyError, IndexError, TypeError) as error:
                raise ServerFailed(f"{self._url} serves no model") from error
        return self._name

    def _ask(self, path: str, payload: Mapping[str, Any] | None, *, answered: bool = True) -> Any:
        """The server's answer as JSON, or none where `answered` is false; an answer of trouble is asked for again."""
        for wait in WAITS_S:
            time.sleep(wait)
            reply = exchange(self._url + path, payload, timeout_s=TIMEOUT_S)
            if reply.status == 200 and (reply.trouble is None or not answered):
                return reply.body
            if reply.status in range(400, 500):
                break
        raise ServerFailed(
            f"{self._url}{path}: {reply.trouble or f'status {reply.status}'}; the server is vLLM's, started with "
            "VLLM_SERVER_DEV_MODE=1; see: docs/guides/training.md"
        )


def _row(choice: Mapping[str, Any]) -> Tokens:
    ids = [int(one) for one in choice["token_ids"]]
    logprobs = [float(one) for one in choice["logprobs"]["token_logprobs"]]
    if len(ids) != len(logprobs) or not ids:
        raise ValueError("every token has one log-probability")
    return Tokens(ids, logprobs, math.nan, choice["finish_reason"] == "stop")


def main(arguments: Sequence[str]) -> None:
    """Write a policy, by name or path, as the folder that a server is to be started on."""
    home = os.environ.get("GRADATIM_HOME", ".gradatim")
    policy, folder = load(arguments[0], home), Path(arguments[1])
    policy.tokenizer.save_pretrained(folder)
    save_untied(policy.model, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
