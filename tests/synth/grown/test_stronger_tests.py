"""A task refused for weak tests comes back with stronger ones."""

from __future__ import annotations

import json
from pathlib import Path

from synth.graders import Judge
from synth.grown.stronger_tests import GENERATOR, stronger
from synth.importers import get
from synth.novelty import Novelty
from synth.pipeline import Admission, admit

ROW = {
    "prompt": "Write toll(x): twice x above 5, else 3xx - 4x + 7(x - 2).",
    "entry": "toll",
    "tests": "assert toll(6) == 12\nassert toll(7) == 14\nassert toll(8) == 16",
    "reference": "def toll(x):\n    if x > 5:\n        return 2 * x\n    return 3 * x * x - 4 * x + 7 * (x - 2)\n",
}


def test_more_tests_near_the_known_inputs_kill_what_survived(tmp_path: Path):
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(ROW) + "\n")
    corpus = get("jsonl").read(path)
    with Judge(workers=1) as judge:
        admission = Admission("c", judge, Novelty())
        [weak] = admit(corpus.rows, corpus.generator, admission)
        again = list(admit(stronger(weak.tasks, judge, seed=0), GENERATOR, admission))
    assert weak.rejected == {"mutants: weak tests": 1}
    [task] = again[0].accepted
    assert task.parents == (weak.tasks[0].task_id,)
    assert task.prompt == weak.tasks[0].prompt
    assert len(task.hidden_tests or "") > len(weak.tasks[0].hidden_tests or "")
