"""Packages about time: spans of minutes, what is free between them, rooms, and days of the week."""

from __future__ import annotations

import random
from typing import Any

from synth.environments.packages.blueprint import Blueprint, Part, Probe, assembled

SPANS = '''
"""Spans of minutes (start, end): the end is no longer part of it."""


def length(span):
    """Minutes in a span; nothing when it ends before it starts."""
    start, end = span
    return max(0, end - start)


def $overlap(one, other):
    """Minutes that two spans share."""
    return length((max(one[0], other[0]), min(one[1], other[1])))


def touches(one, other):
    """Whether two spans share a minute or follow each other without a gap."""
    return one[0] <= other[1] and other[0] <= one[1]
'''
MERGE = '''
"""Spans that touch are one."""

from $p.$spans import touches


def merged(spans):
    """The spans, joined where they touch, earliest first."""
    joined = []
    for span in sorted(spans):
        if joined and touches(joined[-1], span):
            start, end = joined[-1]
            joined[-1] = (start, max(end, span[1]))
        else:
            joined.append(tuple(span))
    return joined
'''
TOTALS = '''
"""How much of a day is taken."""

from $p.$spans import length, $overlap
from $p.merge import merged

OPENS = $opens
CLOSES = $closes


def busy(spans):
    """Minutes taken within opening hours, each counted once."""
    day = (OPENS, CLOSES)
    return sum($overlap(span, day) for span in merged(spans))


def longest(spans):
    """The longest span, the earliest among equals; none without spans."""
    best = None
    for span in sorted(spans):
        if best is None or length(span) > length(best):
            best = tuple(span)
    return best
'''
GAPS = '''
"""What is free."""

from $p.merge import merged
from $p.totals import CLOSES, OPENS

LEAST = $least


def $gaps(spans):
    """Free spans of at least LEAST minutes within opening hours."""
    found = []
    at = OPENS
    for start, end in merged(spans):
        if start - at >= LEAST:
            found.append((at, min(start, CLOSES)))
        at = max(at, end)
        if at >= CLOSES:
            break
    if CLOSES - at >= LEAST:
        found.append((at, CLOSES))
    return [(start, end) for start, end in found if end - start >= LEAST]
'''
BOOKING = '''
"""Where a meeting goes."""

from $p.gaps import $gaps

STEP = $step


def slot(spans, minutes):
    """The earliest free span of `minutes` that starts on a multiple of STEP; none when there is none."""
    for start, end in $gaps(spans):
        begin = -(-start // STEP) * STEP
        if begin + minutes <= end:
            return (begin, begin + minutes)
    return None
'''
ROOMS = '''
"""How many rooms meetings need."""


def rooms(spans):
    """The largest number of spans that run at one time."""
    changes = []
    for start, end in spans:
        if end > start:
            changes.append((start, 1))
            changes.append((end, -1))
    most = running = 0
    for _, change in sorted(changes):
        running += change
        most = max(most, running)
    return most
'''
WEEK = '''
"""Days of the week, 0 for Monday."""

REST = ($rest1, $rest2)


def is_workday(day):
    """Whether work is done on this day of the week."""
    return day % 7 not in REST


def after(day, workdays):
    """The day of the week that comes `workdays` working days after this one."""
    while workdays > 0:
        day += 1
        if is_workday(day):
            workdays -= 1
    return day % 7
'''
CLOCK = '''
"""Minutes as people write them."""

from $p.booking import slot


def shown(minute):
    """A minute of the day as HH:MM."""
    hours, rest = divmod(minute, 60)
    return f"{hours % 24:02d}:{rest:02d}"


def proposal(spans, minutes):
    """The proposed meeting as text."""
    found = slot(spans, minutes)
    if found is None:
        return "no time"
    start, end = found
    return shown(start) + " to " + shown(end)
'''
LOADS = '''
"""Who has most to do."""

from $p.totals import busy


def ranking(people):
    """Names by minutes taken, fewest first, equal ones by name; those with none are left out."""
    loads = []
    for name, spans in people.items():
        minutes = busy(spans)
        if minutes > 0:
            loads.append((minutes, name))
    return [name for _, name in sorted(loads)]
'''
Span = tuple[int, int]


def build(rng: random.Random, size: int) -> Blueprint:
    """A package of 3 to 9 modules about meetings."""
    n: dict[str, Any] = {
        "opens": rng.choice((420, 480, 510, 540)), "closes": rng.choice((960, 1020, 1050, 1080)),
        "least": rng.choice((10, 15, 20, 30)), "step": rng.choice((5, 10, 15)),
        "overlap": rng.choice(("overlap", "shared", "common_minutes")), "gaps": rng.choice(("gaps", "free_spans")),
        "spans": rng.choice(("spans", "intervals", "times")),
    }  # fmt: skip
    n["rest1"], n["rest2"] = sorted(rng.sample(range(7), 2))
    opens, closes, least, step = n["opens"], n["closes"], n["least"], n["step"]

    def minutes_of(spans: list[Span]) -> set[int]:
        return {minute for start, end in spans for minute in range(start, end)}

    def runs(minutes: set[int]) -> list[Span]:
        starts = sorted(m for m in minutes if m - 1 not in minutes)
        ends = sorted(m + 1 for m in minutes if m + 1 not in minutes)
        return list(zip(starts, ends, strict=True))

    def free(spans: list[Span]) -> list[Span]:
        return [run for run in runs(set(range(opens, closes)) - minutes_of(spans)) if run[1] - run[0] >= least]

    def slot(spans: list[Span], minutes: int) -> Span | None:
        fits = [m for a, b in free(spans) for m in range(a, b) if m % step == 0 and m + minutes <= b]
        return (min(fits), min(fits) + minutes) if fits else None

    def proposal(spans: list[Span], minutes: int) -> str:
        found = slot(spans, minutes)
        return " to ".join(f"{m // 60:02d}:{m % 60:02d}" for m in found) if found else "no time"

    def busy(spans: list[Span]) -> int:
        return len(minutes_of(spans) & set(range(opens, closes)))

    def after(day: int, workdays: int) -> int:
        coming = [d for d in range(day + 1, day + 60) if d % 7 not in (n["rest1"], n["rest2"])]
        return coming[workdays - 1] % 7 if workdays else day % 7

    def some(r: random.Random, least_n: int = 0) -> list[Span]:
        made: list[Span] = []
        for _ in range(r.randint(least_n, 5)):
            start = r.choice((opens, opens - 30, r.randrange(opens, closes, 5), made[-1][1] if made else opens))
            made.append((start, start + r.randrange(5, 180, 5)))
        return r.sample(made, len(made))

    def pair(r: random.Random) -> tuple[Span, Span]:
        one = some(r, 1)[0]
        return one, r.choice(((one[1], one[1] + 30), (one[1] + 5, one[1] + 20), some(r, 1)[0]))

    def longest(spans: list[Span]) -> Span | None:
        return min(spans, key=lambda s: (s[0] - s[1], s)) if spans else None

    def ranking(people: dict[str, list[Span]]) -> list[str]:
        return sorted((x for x in people if busy(people[x])), key=lambda x: (busy(people[x]), x))

    spans = n["spans"]
    parts = [
        Part(
            spans,
            1,
            SPANS,
            [
                Probe(spans, n["overlap"], pair, lambda a, b: len(minutes_of([a]) & minutes_of([b]))),
                Probe(spans, "touches", pair, lambda a, b: len(runs(minutes_of([a, b]))) == 1),
            ],
        ),
        Part("merge", 1, MERGE, [Probe("merge", "merged", lambda r: (some(r),), lambda s: runs(minutes_of(s)))]),
        Part(
            "totals",
            1,
            TOTALS,
            [
                Probe("totals", "busy", lambda r: (some(r),), busy),
                Probe("totals", "longest", lambda r: (some(r),), longest),
            ],
        ),
        Part("gaps", 2, GAPS, [Probe("gaps", n["gaps"], lambda r: (some(r),), free)]),
        Part(
            "booking",
            3,
            BOOKING,
            [Probe("booking", "slot", lambda r: (some(r), r.choice((15, 30, 45, 60, 120, 600))), slot)],
        ),
        Part(
            "rooms",
            3,
            ROOMS,
            [
                Probe(
                    "rooms",
                    "rooms",
                    lambda r: (some(r),),
                    lambda s: max([0, *(sum(a <= m < b for a, b in s) for m in minutes_of(s))]),
                )
            ],
        ),
        Part("week", 4, WEEK, [Probe("week", "after", lambda r: (r.randrange(7), r.randint(0, 9)), after)]),
        Part(
            "clock", 5, CLOCK, [Probe("clock", "proposal", lambda r: (some(r), r.choice((15, 30, 60, 200))), proposal)]
        ),
        Part(
            "loads",
            5,
            LOADS,
            [
                Probe(
                    "loads",
                    "ranking",
                    lambda r: ({who: some(r) for who in r.sample(("ann", "bob", "eve", "kim"), 3)},),
                    ranking,
                )
            ],
        ),
    ]
    package = rng.choice(("agenda", "planner", "diary", "roster"))
    return assembled(package, "Meetings in minutes of a day.", parts, n, size)
