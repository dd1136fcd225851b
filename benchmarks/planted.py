"""Planted bad tasks: how many of them the evidence admits, by kind, beside honest tasks of the same families.

python benchmarks/planted.py --json
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from scipy.stats import beta

from synth.answers import boxed
from synth.bench import SandboxBench
from synth.demonstrations import corrupted
from synth.evidence import Subject, examine
from synth.family import FAMILIES, Family, Item
from synth.graders import Judge
from synth.sandbox import Test
from synth.seeds import stream
from synth.tasks import make_item, to_task
from warehouse.records import Domain

Plant = Callable[[Family, Item, int], Item | None]


def wrong_gold(family: Family, item: Item, place: int) -> Item | None:
    """Another gold, and a reference that agrees with it."""
    if item.gold is None:
        return None
    gold = corrupted(item.gold, stream("planted", family.name, place))
    if gold.lower() == item.gold.lower():
        return None
    return replace(item, gold=gold, reference=gold if family.pocket else boxed(gold))


def wrong_rule(family: Family, item: Item, place: int) -> Item | None:
    """Tests and reference of another item: they agree with each other, not with the prompt."""
    other = make_item(family, level=max(family.levels), seed=77, index=place)
    if item.gold is not None or other.reference == item.reference:
        return None
    return replace(item, reference=other.reference, tests=other.tests, hidden_tests=other.hidden_tests)


def weak_tests(family: Family, item: Item, place: int) -> Item | None:
    """One hidden test, or none beyond those that the prompt shows."""
    if item.gold is not None:
        return None
    return replace(item, hidden_tests=item.hidden_tests[:1] if not item.tests else item.tests)


def guessable(family: Family, item: Item, place: int) -> Item | None:
    """Every call returns the same."""
    if item.gold is not None or not item.scaffold or "return {completion}" not in item.scaffold:
        return None
    tests = tuple(replace(test, expected=place % 7) for test in item.hidden_tests)
    return replace(item, reference=str(place % 7), tests=tests[:1], hidden_tests=tests)


def contradictory(family: Family, item: Item, place: int) -> Item | None:
    """One call with two answers."""
    if item.gold is not None:
        return None
    first = item.hidden_tests[0]
    return replace(item, hidden_tests=(*item.hidden_tests, Test(args=first.args, expected="something else")))


def leaked(family: Family, item: Item, place: int) -> Item | None:
    """The prompt states the answer."""
    return None if item.gold is None else replace(item, prompt=f"{item.prompt} {boxed(item.gold)}")


def honest(family: Family, item: Item, place: int) -> Item | None:
    """The item as it is."""
    return item


def made(plant: Plant, n: int) -> Iterator[Subject]:
    """At most `n` tasks of each family, in its middle and upper levels."""
    for family in FAMILIES:
        levels = list(family.levels)[len(list(family.levels)) // 2 :]
        for place in range(n if family.domain is Domain.MATH else max(2, n // 2)):
            level = levels[place % len(levels)]
            item = plant(family, make_item(family, level=level, seed=5, index=place), place)
            if item is not None:
                yield Subject(to_task(family, item, level=level, seed=5, index=place), item, family)


def run(n: int) -> dict[str, object]:
    """Admitted shares with the upper end of their 95 % intervals (Clopper and Pearson)."""
    report: dict[str, object] = {}
    bad = admitted = 0
    with Judge(workers=2) as judge:
        for plant in (wrong_gold, wrong_rule, weak_tests, guessable, contradictory, leaked, honest):
            subjects = list(made(plant, n))
            examined = examine(subjects, SandboxBench(judge))
            passed = [s.task for s, e in zip(subjects, examined, strict=True) if e.reason is None]
            report[plant.__name__] = {
                "n": len(subjects),
                "admitted": len(passed),
                "reasons": dict(Counter(e.reason for e in examined if e.reason is not None).most_common(4)),
                "admitted_examples": [(task.family, task.prompt[:60], task.reference) for task in passed[:3]]
                if plant is not honest
                else [],
            }
            if plant is not honest:
                bad, admitted = bad + len(subjects), admitted + len(passed)
    report["planted"] = bad
    report["admitted_share"] = admitted / bad
    report["admitted_share_upper"] = float(beta.ppf(0.975, admitted + 1, bad - admitted))
    return report


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=20, help="tasks of each family and kind")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = run(arguments.n)
    print(json.dumps(found) if arguments.json else json.dumps(found, indent=2))
