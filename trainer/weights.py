"""The identity of saved weights; imports no torch, so that a checkpoint can be verified at once."""

from __future__ import annotations

import json
from pathlib import Path

from blake3 import blake3

from warehouse.errors import UserError
from warehouse.records import content_hash

BASE = "gradatim_base.json"
"""Beside a saved adapter: where its base lies and which policy that is."""


def weights_hash(folder: Path) -> str:
    """blake3 over the weight files of `folder`, in order of name; raises `UserError` when there is none."""
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise UserError(f"checkpoint '{folder}' holds no .safetensors file; see: gradatim check")
    digest = blake3()
    for file in files:
        digest.update_mmap(str(file))
    return digest.hexdigest()


def policy_identity(folder: Path) -> str:
    """The identity of the policy in `folder`: hash of its weights, its tokenizer and, for an adapter, its base."""
    tokenizer = folder / "tokenizer.json"
    vocabulary = blake3(tokenizer.read_bytes()).hexdigest() if tokenizer.is_file() else ""
    base = folder / BASE
    under = [json.loads(base.read_text("utf-8"))["policy_id"]] if base.is_file() else []
    return content_hash(weights_hash(folder), vocabulary, *under)
