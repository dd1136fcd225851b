"""One family of weights under several spellings is one lineage, wherever separation is asked for."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from synth.engines import ModelConfig, ModelsConfig
from synth.evidence import refuse_same_lineage
from synth.lineage import same_lineage
from warehouse.errors import UserError

SPELT = ("qwen", "Qwen", " qwen ", "QWEN@main", "qwen:latest", "q-wen", "qwen (rev 2)", "\uff51wen", "qwen v2",
         "qwen-7b", "qwen_rev.3", "qwen-0.5B-v2")  # fmt: skip


@pytest.mark.parametrize("other", SPELT)
def test_one_family_however_it_is_spelt(other: str):
    assert same_lineage("qwen", other)
    assert same_lineage(other, "qwen")
    with pytest.raises(UserError, match="share the lineage"):
        refuse_same_lineage("w", "qwen", "c", other)
    models = [ModelConfig(engine="words", model="m", lineage=name) for name in ("qwen", other)]
    with pytest.raises(ValidationError, match="share the lineage"):
        ModelsConfig(writer=models[0], checker=models[1])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("qwen", "llama"),
        ("pocket-writer", "pocket-checker"),
        ("qwen2", "qwen3"),
        ("@a", "@b"),
        ("通义", "千问"),
        ("a", "b"),
    ],
)
def test_other_families_stay_apart(one: str, other: str):
    assert not same_lineage(one, other)


def test_a_blank_lineage_is_refused():
    with pytest.raises(ValidationError, match="blank"):
        ModelConfig(engine="words", model="m", lineage=" ")
