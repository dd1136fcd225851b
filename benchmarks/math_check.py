"""Speed and errors of the math checker, beside plain math-verify on the same pairs in the same run.

    python benchmarks/math_check.py --json

Prints a JSON object last: easy pairs a second of CPU, the worst CPU seconds of one pair over hostile strings, and false
accepts and rejects of both checkers over generated pairs of known equality.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import resource
import time
from collections import Counter
from pathlib import Path

from math_verify import parse, verify

from synth.math import Equality, check, extract, prepare_gold
from synth.math.hostile import HOSTILE
from synth.math.pairs import CLASSES, Pair, pairs
from synth.math.workers import shared

EASY = ("integers", "rationals", "scientific", "more_integers", "assignments", "units")
GOLDS = ("7", "x+1", "\\sqrt{2}")


def workers_cpu_s() -> float:
    """CPU seconds of all descendants, living or reaped."""
    parents, ticks = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents[int(folder.name)] = int(fields[1])
            ticks[int(folder.name)] = sum(map(int, fields[11:15]))

    def ours(pid: int) -> bool:
        while pid in parents:
            pid = parents[pid]
            if pid == os.getpid():
                return True
        return False

    return sum(value for pid, value in ticks.items() if ours(pid)) / os.sysconf("SC_CLK_TCK")


def cpu_s() -> float:
    """CPU seconds of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def speed(n: int) -> dict[str, float]:
    """Easy pairs a CPU second, golds prepared once as in training."""
    easy = [(prepare_gold(pair.gold), pair.answer) for pair in pairs(n, seed=1, groups=EASY)]
    start = cpu_s()
    for gold, answer in easy:
        check(gold, answer)
    ours = n / (cpu_s() - start)
    start = cpu_s()
    sample = list(pairs(n // 20, seed=1, groups=EASY))
    for pair in sample:
        plain(pair)
    return {
        "easy_pairs_per_cpu_s": round(ours),
        "math_verify_easy_pairs_per_cpu_s": round(len(sample) / (cpu_s() - start)),
    }


def plain(pair: Pair) -> bool:
    """What plain math-verify says, as its documentation uses it."""
    gold = pair.gold if "$" in pair.gold or "\\boxed" in pair.gold else f"${pair.gold}$"
    answer = pair.answer if any(mark in pair.answer for mark in ("$", "\\boxed", "####")) else f"${pair.answer}$"
    return bool(verify(parse(gold), parse(answer)))


def errors(n: int) -> dict[str, object]:
    """False accepts and rejects of both over the same pairs, and by class where there are any."""
    found: dict[str, Counter[str]] = {"ours": Counter(), "math_verify": Counter()}
    equal = 0
    for pair in pairs(n, seed=2):
        equal += pair.equal
        outcome = check(prepare_gold(pair.gold), pair.answer)
        found["ours"]["undecided"] += outcome in (Equality.UNDECIDED, Equality.GOLD_INVALID)
        said = {"ours": outcome is Equality.EQUAL, "math_verify": plain(pair)}
        for name, accepted in said.items():
            if accepted and not pair.equal:
                found[name]["false_accept"] += 1
                found[name][f"false_accept/{pair.group}"] += 1
            wrongly = outcome is Equality.NOT_EQUAL if name == "ours" else not accepted
            if pair.equal and wrongly:
                found[name]["false_reject"] += 1
                found[name][f"false_reject/{pair.group}"] += 1
    counts = {f"{name}_{what}": found[name][what] for name in found for what in ("false_accept", "false_reject")}
    by_class = {name: {k: v for k, v in sorted(counter.items()) if "/" in k} for name, counter in found.items()}
    undecided = found["ours"]["undecided"]
    sizes = {"pairs": n, "equal_pairs": equal, "classes": len(CLASSES)}
    return {**sizes, **counts, "ours_undecided": undecided, "by_class": by_class}


def worst() -> dict[str, object]:
    """The most CPU seconds that one comparison took in all processes, over hostile strings."""
    check(prepare_gold("\\pi"), "e")
    most, text = 0.0, ""
    for hostile in HOSTILE:
        for gold in GOLDS:
            prepared = prepare_gold(gold)
            before = cpu_s() + workers_cpu_s()
            check(prepared, hostile)
            extract(hostile)
            used = cpu_s() + workers_cpu_s() - before
            if used > most:
                most, text = used, hostile[:40]
    return {"hostile_pairs": len(HOSTILE) * len(GOLDS), "worst_cpu_s": round(most, 3), "worst_text": text,
            "workers_replaced": shared().replaced}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object only")
    parser.add_argument("--pairs", type=int, default=1800, help="generated pairs for errors")
    parser.add_argument("--easy", type=int, default=20_000, help="easy pairs for speed")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    start = time.process_time()
    report = {**speed(arguments.easy), **errors(arguments.pairs), **worst()}
    report["bench_cpu_s"] = round(time.process_time() - start, 1)
    if not arguments.json:
        for name, value in report.items():
            print(f"{name:36} {value}")
    print(json.dumps(report))


if __name__ == "__main__":
    main()
