"""Recipes give the same bytes in another process, under another hash seed."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
from synth.demonstrations import demonstrations, level_weights
from synth.environments.repository.draft import draft
from synth.environments.toolsets.making import draft as tools
from synth.evidence.mutation import mutants
from synth.family import FAMILIES
from synth.sandbox import dump_tests
from synth.seeds import stream
from synth.tasks import make_item, to_task
from warehouse.records import content_hash

ids = [
    to_task(family, item, level=level, seed=1, index=index).task_id + (family.solve(item) or "")
    for family in FAMILIES
    for level in family.levels
    for index in range(3)
    for item in [make_item(family, level=level, seed=1, index=index)]
]
pairs = [list(pair) for pair in demonstrations(level_weights(["rev", "lin"]), seed=0, n=200, wrong_rate=0.3)]
drafts = [draft(stream("d", i), 1 + i % 5) for i in range(40)]
agents = [[dict(one.whole), dict(one.broken), dump_tests(one.tests + one.hidden)] for one in drafts]
services = [tools(stream("t", i), 1 + i % 5).service.data() for i in range(20)]
mutated = mutants("def f(x):\\n    return max(x, 3) - x % 2 if x > 1 else -x\\n")
print(content_hash(agents, services, ids, pairs, mutated))
"""


def test_another_hash_seed_changes_nothing():
    found = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(found) == 1
