"""How a benchmark runs torch and its libraries."""

from __future__ import annotations

import warnings

import torch
import transformers


def quiet() -> None:
    """One thread, and no word from the libraries."""
    warnings.filterwarnings("ignore")
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
