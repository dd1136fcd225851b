"""What dedup and decontamination ask of a sentence embedder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into vectors whose dot product is their semantic likeness."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape [n, d], float32, rows of unit norm."""
        ...
