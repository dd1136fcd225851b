"""The one door to corpus-grown generators."""

from __future__ import annotations

from pathlib import Path

import pytest

from synth.graders import Judge
from synth.grown import NAMES, grow
from synth.importers import get
from warehouse.errors import UserError


def test_every_generator_is_behind_the_door(corpora: Path):
    tasks = {
        name: [row.subject.task for row in get(name).read(corpora / file, limit=8).rows if row.subject is not None]
        for name, file in (("gsm8k", "gsm8k_train.jsonl"), ("humaneval", "HumanEval.jsonl.gz"))
    }
    with Judge(workers=1) as judge:
        for name in NAMES:
            parents = tasks["gsm8k" if name == "gsm8k_variants" else "humaneval"]
            generator, proposals = grow(name, parents, judge, n=2, seed=0)
            made = list(proposals)
            assert generator.name == name
            assert generator.kind == "corpus_grown"
            assert any(one.subject is not None for one in made)
            assert all((one.subject is None) == (one.reason is not None) for one in made)


def test_an_unknown_generator_is_refused():
    with pytest.raises(UserError, match="unknown corpus-grown generator 'variants'"), Judge(workers=1) as judge:
        grow("variants", [], judge)
