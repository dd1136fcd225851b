"""The examples in docstrings of the synthesis core are true."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = [
    "synth.annotations",
    "synth.answers",
    "synth.demonstrations",
    "synth.evidence.mutation",
    "synth.families.pocket.lin",
    "synth.families.pocket.quad",
    "synth.grown.inputs",
    "synth.grown.question_numbers",
    "synth.importers.contract",
    "synth.importers.functions",
    "synth.seeds",
    "synth.tasks",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0
