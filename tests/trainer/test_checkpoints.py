from pathlib import Path

import pytest

from trainer import policies
from trainer.checkpoints import MARK, newest, seal, verify
from trainer.errors import CheckpointBroken


def checkpoint(folder: Path, step: int, *, sealed: bool = True) -> Path:
    place = folder / f"checkpoint-{step}"
    policies.save(policies.fresh_pocket(step), place)
    if sealed:
        seal(place, step=step, state={"ahead": []})
    return place


def test_the_newest_whole_checkpoint_is_found_and_half_written_ones_go(tmp_path: Path):
    checkpoint(tmp_path, 2)
    good = checkpoint(tmp_path, 10)
    half = checkpoint(tmp_path, 12, sealed=False)
    found = newest(tmp_path)
    assert found is not None
    assert (found.folder, found.step) == (good, 10)
    assert not half.exists()


def test_changed_weights_are_not_a_checkpoint(tmp_path: Path):
    place = checkpoint(tmp_path, 1)
    weights = place / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(bytes(data))
    with pytest.raises(CheckpointBroken, match="its mark says"):
        verify(place)


def test_a_cut_mark_is_not_a_checkpoint(tmp_path: Path):
    place = checkpoint(tmp_path, 1)
    text = (place / MARK).read_text()
    (place / MARK).write_text(text[: len(text) // 2])
    with pytest.raises(CheckpointBroken, match="not whole"):
        verify(place)
    assert newest(tmp_path) is None
