"""Tasks grown from corpora: how many are accepted, why the others are not, and how fast.

python benchmarks/corpus_grown.py --corpora FOLDER --json
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from synth.batch import Batch
from synth.graders import Judge
from synth.grown.gsm8k_variants import GENERATOR as VARIANTS
from synth.grown.gsm8k_variants import variants
from synth.grown.program_tasks import program_tasks
from synth.grown.stronger_tests import GENERATOR as STRONGER
from synth.grown.stronger_tests import stronger
from synth.importers import get
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from warehouse.records import Task

FILES = {"gsm8k": "gsm8k_train.jsonl", "mbpp": "mbpp_sanitized.jsonl", "humaneval": "HumanEval.jsonl.gz"}


class Tally:
    """Attempts by generator and outcome."""

    def __init__(self) -> None:
        self.n_in: Counter[str] = Counter()
        self.n_out: Counter[str] = Counter()
        self.rejected: dict[str, Counter[str]] = {}
        self.scores: list[float] = []
        self.weak: list[Task] = []

    def take(self, batches: Iterable[Batch]) -> Iterator[Task]:
        for batch in batches:
            for attempt in batch.attempts:
                self.n_in[attempt.generator] += 1
                self.n_out[attempt.generator] += attempt.reason is None
                if attempt.reason is not None:
                    self.rejected.setdefault(attempt.generator, Counter())[attempt.reason] += 1
            accepted = {task.task_id for task in batch.accepted}
            weak = {change.task_id for change in batch.statuses if change.reason == "mutants: weak tests"}
            self.weak += [task for task in batch.tasks if task.task_id in weak and task.source in FILES]
            for verdict in batch.verdicts:
                if verdict.check == "mutants" and verdict.task_id in accepted:
                    self.scores.append(float(str(verdict.evidence["score"])))
            yield from batch.accepted


def run(corpora: Path, n_variants: int, limit: int | None) -> dict[str, object]:
    tally, novelty = Tally(), Novelty(near=True)
    start = time.perf_counter()
    with Judge(workers=2) as judge:
        admission = Admission("bench", judge, novelty)
        parents: dict[str, list[Task]] = {}
        for name, file in FILES.items():
            corpus = get(name).read(corpora / file, limit=limit)
            if corpus.error is not None:
                raise corpus.error
            parents[name] = list(tally.take(admit(corpus.rows, corpus.generator, admission)))
        for task in tally.take(admit(stronger(list(tally.weak), judge, seed=0), STRONGER, admission)):
            parents[task.source].append(task)
        grown = [(VARIANTS, list(variants(parents["gsm8k"], n=n_variants, seed=0)))]
        grown += list(program_tasks(parents["mbpp"] + parents["humaneval"], judge, seed=0))
        for generator, proposals in grown:
            for _ in tally.take(admit(proposals, generator, admission)):
                pass
    return _result(tally, time.perf_counter() - start)


def _result(tally: Tally, wall_s: float) -> dict[str, object]:
    grown = [name for name in tally.n_in if name not in FILES]
    scores = sorted(tally.scores)
    return {
        "accepted_grown": sum(tally.n_out[name] for name in grown),
        "accepted": dict(tally.n_out),
        "attempts": dict(tally.n_in),
        "rejected": {name: dict(reasons.most_common()) for name, reasons in tally.rejected.items()},
        "median_mutation_score": scores[len(scores) // 2] if scores else None,
        "wall_s": round(wall_s, 1),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=Path("../shared/data"))
    parser.add_argument("--variants", type=int, default=5, help="attempts for each word problem")
    parser.add_argument("--limit", type=int, default=None, help="rows read of each corpus")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = run(arguments.corpora, arguments.variants, arguments.limit)
    print(json.dumps(found) if arguments.json else json.dumps(found, indent=2))
