"""Judges the model-written HumanEval samples several times and prints pass@1, pass@10 and pass@100.

    python benchmarks/humaneval_samples.py --json                 100 samples a task, 3 runs
    python benchmarks/humaneval_samples.py --json --samples 3     a quick look

The last line is one JSON object; `unstable` counts programs whose verdict is not the same in every run.
"""

from __future__ import annotations

import argparse
import difflib
import gzip
import json
import os
import re
import time
from collections import Counter
from pathlib import Path

from curriculum.estimates import pass_at_k
from synth.sandbox import Job, Limits, Pool, from_asserts

LIMITS = Limits(cpu_s=1.0, wall_s=4.0)
Row = dict[str, str]


def pairs(folder: Path) -> list[tuple[Row, str, list[str]]]:
    """(task, prompt as the model read it, its samples), matched by the function asked for and the prompt's text."""
    with gzip.open(folder / "HumanEval.jsonl.gz") as file:
        tasks: list[Row] = [json.loads(line) for line in file]
    with gzip.open(folder / "humaneval_codegen16b_samples.jsonl.gz") as file:
        written = [json.loads(line) for line in file]
    free = list(tasks)
    found = []
    for row in written:
        name = re.findall(r"^def (\w+)\(", row["prompt"], re.MULTILINE)[-1]
        same = [task for task in free if task["entry_point"] == name] or [t for t in tasks if t["entry_point"] == name]
        task = max(same, key=lambda t: difflib.SequenceMatcher(None, t["prompt"], row["prompt"]).ratio())
        if task in free:
            free.remove(task)
        found.append((task, row["prompt"], row["samples"]))
    return found


def jobs(folder: Path, n_samples: int) -> tuple[list[Job], list[int]]:
    """Every sample as a job, and the index of its task."""
    made, owners = [], []
    for owner, (task, prompt, samples) in enumerate(pairs(folder)):
        reference = task["prompt"] + task["canonical_solution"]
        tests = from_asserts(task["test"], entry=task["entry_point"], prelude=reference)
        made += [Job(prompt + sample, tests, task["entry_point"], limits=LIMITS) for sample in samples[:n_samples]]
        owners += [owner] * len(samples[:n_samples])
    return made, owners


def measure(folder: Path, n_samples: int, runs: int, workers: int) -> dict[str, object]:
    """Verdicts over all runs, their stability, and pass@k of the first run."""
    made, owners = jobs(folder, n_samples)
    verdicts: list[list[str]] = []
    began = time.perf_counter()
    with Pool(workers) as pool:
        for _ in range(runs):
            verdicts.append([result.verdict.value for result in pool.verify_many(made)])
    passed = Counter(owner for owner, verdict in zip(owners, verdicts[0], strict=True) if verdict == "PASS")
    total = Counter(owners)
    ks = [k for k in (1, 10, 100) if k <= n_samples]
    estimates = {
        f"pass@{k}": round(sum(float(pass_at_k(total[o], passed[o], k)) for o in total) / len(total), 4) for k in ks
    }
    changed = [seen for seen in zip(*verdicts, strict=True) if len(set(seen)) > 1]
    flipped = [seen for seen in changed if len({word == "PASS" for word in seen}) > 1]
    return {
        "programs": len(made),
        "runs": runs,
        "unstable": len(changed),
        "unstable_rewards": len(flipped),
        "changes": dict(Counter(" / ".join(seen) for seen in changed)),
        **estimates,
        "verdicts": dict(Counter(verdicts[0])),
        "programs_per_s": round(len(made) * runs / (time.perf_counter() - began), 1),
    }


def main() -> None:
    """Prints the figures, one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="nothing but the JSON object")
    parser.add_argument("--samples", type=int, default=100, help="samples a task")
    parser.add_argument("--runs", type=int, default=3, help="times that each is judged")
    parser.add_argument("--workers", type=int, default=2)
    default = os.environ.get("GRADATIM_CORPORA", Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--corpora", type=Path, default=Path(default), help="folder with the two HumanEval files")
    options = parser.parse_args()
    figures = measure(options.corpora, options.samples, options.runs, options.workers)
    if not options.json:
        for name, value in figures.items():
            print(f"{name:20} {value}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
