"""The pocket writer and the pocket checker before they learn: two architectures, two vocabularies, two lineages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from transformers import GPTNeoXConfig, GPTNeoXForCausalLM, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from trainer.policies import LoadedPolicy
from trainer.tokenizer import ALPHABET, build_tokenizer
from warehouse.records import content_hash

WRITER, CHECKER = "pocket-writer", "pocket-checker"
"""Names of the two models, and of their lineages."""

WIDTH, LAYERS, HEADS, CONTEXT = 64, 2, 4, 64


def fresh(name: str, seed: int) -> LoadedPolicy:
    """The untrained model of that name, about 0.1 M parameters, initialised from `seed`.

    The writer is a Llama (RMS norm, gated SiLU, blocks in series); the checker a GPT-NeoX (layer norm, GELU, attention
    and feed-forward in parallel) that numbers the characters in the other order.
    """
    tokenizer = build_tokenizer(ALPHABET if name == WRITER else ALPHABET[::-1])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = _BUILT[name](tokenizer)
    model.eval()
    return LoadedPolicy(model, tokenizer, content_hash(name, "fresh", seed), name, name)


def _llama(tokenizer: PreTrainedTokenizerFast) -> Any:
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=WIDTH,
            intermediate_size=3 * WIDTH,
            num_hidden_layers=LAYERS,
            num_attention_heads=HEADS,
            num_key_value_heads=HEADS,
            max_position_embeddings=CONTEXT,
            tie_word_embeddings=False,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
        )
    )


def _neox(tokenizer: PreTrainedTokenizerFast) -> Any:
    return GPTNeoXForCausalLM(
        GPTNeoXConfig(
            vocab_size=len(tokenizer),
            hidden_size=WIDTH,
            intermediate_size=4 * WIDTH,
            num_hidden_layers=LAYERS,
            num_attention_heads=HEADS,
            max_position_embeddings=CONTEXT,
            rope_parameters={"rope_type": "default", "rope_theta": 10_000.0, "partial_rotary_factor": 1.0},
            use_parallel_residual=True,
            attention_dropout=0.0,
            hidden_dropout=0.0,
            tie_word_embeddings=False,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
        )
    )


_BUILT: Mapping[str, Callable[[PreTrainedTokenizerFast], Any]] = {WRITER: _llama, CHECKER: _neox}
