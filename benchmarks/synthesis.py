"""Procedural synthesis with all evidence: accepted tasks a second, and generation beside reasoning-gym's.

python benchmarks/synthesis.py --json
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import time
from collections import Counter

from synth.family import FAMILIES, Family
from synth.graders import Judge
from synth.pipeline import synthesize
from synth.proposals import Request
from synth.tasks import make_item
from warehouse.records import Domain

N_PLAIN = 40


def cheap(family: Family) -> bool:
    """Whether a family's answers are checked without a program or a search that takes milliseconds."""
    return family.domain is Domain.MATH and family.name not in (
        "knights",
        "abduction",
        "satisfying",
        "avoiding",
        "race",
    )


def synthesis(names: list[str], n: int) -> dict[str, object]:
    """`n` attempts at each level of the families, with every check; CPU time counts the sandbox's processes too."""
    requests = [Request(name, level, n, 0) for name in names for level in FAMILIES.get(name).levels]
    start, cpu, everywhere = time.perf_counter(), time.process_time(), _cpu_s()
    n_in = n_out = 0
    rejected: Counter[str] = Counter()
    scores: list[float] = []
    with Judge(workers=2) as judge:
        for batch in synthesize(requests, campaign_id="bench", judge=judge):
            n_in, n_out = n_in + batch.n_in, n_out + batch.n_out
            rejected.update(batch.rejected)
            scores += [float(str(v.evidence["score"])) for v in batch.verdicts if "score" in v.evidence]
    wall = time.perf_counter() - start
    return {
        "n_in": n_in,
        "n_out": n_out,
        "rejected": dict(rejected),
        "accepted_per_s": round(n_out / wall, 1),
        "accepted_per_cpu_s_of_this_process": round(n_out / (time.process_time() - cpu), 1),
        "accepted_per_cpu_s": round(n_out / (_cpu_s() - everywhere), 1),
        "median_mutation_score": statistics.median(scores) if scores else None,
    }


def _cpu_s() -> float:
    """CPU time of this process and of its ended children."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def plain() -> list[float]:
    """CPU seconds an item of plain generation, by family."""
    found = []
    for family in FAMILIES:
        start = time.process_time()
        for level in family.levels:
            for index in range(N_PLAIN):
                make_item(family, level=level, seed=0, index=index)
        found.append((time.process_time() - start) / (N_PLAIN * len(family.levels)))
    return found


def gym() -> list[float]:
    """CPU seconds an item of reasoning-gym's plain generation, by its families at their defaults; empty without it."""
    try:
        import reasoning_gym
        from reasoning_gym.factory import DATASETS
    except ImportError:
        return []
    found = []
    for name in sorted(DATASETS):
        try:
            data = reasoning_gym.create_dataset(name, size=N_PLAIN, seed=1)
            start = time.process_time()
            made = 0
            while made < N_PLAIN and time.process_time() - start < 1.0:
                data[made]
                made += 1
        except (OSError, ValueError, TypeError, KeyError, AssertionError, ImportError):
            continue
        found.append((time.process_time() - start) / made)
    return found


def run(n: int) -> dict[str, object]:
    """The report."""
    code = [family.name for family in FAMILIES if family.domain is Domain.CODE]
    mathematics = synthesis([family.name for family in FAMILIES if cheap(family)], n)
    programs = synthesis(code, n)
    ours, theirs = plain(), gym()
    report: dict[str, object] = {
        "cheap_families": mathematics,
        "code_families": programs,
        "plain_us_median": round(statistics.median(ours) * 1e6, 1),
        "plain_us_mean": round(statistics.mean(ours) * 1e6, 1),
    }
    if theirs:
        with_evidence = 1 / float(str(mathematics["accepted_per_cpu_s_of_this_process"]))
        report |= {
            "reasoning_gym_families": len(theirs),
            "reasoning_gym_us_median": round(statistics.median(theirs) * 1e6, 1),
            "reasoning_gym_us_mean": round(statistics.mean(theirs) * 1e6, 1),
            "speed_plain_vs_reasoning_gym_median": round(statistics.median(theirs) / statistics.median(ours), 2),
            "speed_plain_vs_reasoning_gym_mean": round(statistics.mean(theirs) / statistics.mean(ours), 2),
            "speed_with_evidence_vs_reasoning_gym_plain_mean": round(statistics.mean(theirs) / with_evidence, 2),
        }
    return report


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=60, help="attempts at each level of each family")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = run(arguments.n)
    print(json.dumps(found) if arguments.json else json.dumps(found, indent=2))
