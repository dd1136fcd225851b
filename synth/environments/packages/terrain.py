"""Packages about maps: reading, moves, shortest ways, regions, costs and robots on a grid."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any

from synth.environments.packages.blueprint import Blueprint, Part, Probe, assembled

CHART = '''
"""Maps as lines of characters; a place is (row, column)."""

WALL = "$wall"


def inside(rows, place):
    """Whether a place lies on the map."""
    row, column = place
    return 0 <= row < len(rows) and 0 <= column < len(rows[row])


def is_open(rows, place):
    """Whether a place lies on the map and is no wall."""
    return inside(rows, place) and rows[place[0]][place[1]] != WALL


def $find(rows, mark):
    """The places of a character, row by row."""
    found = []
    for row, line in enumerate(rows):
        for column, char in enumerate(line):
            if char == mark:
                found.append((row, column))
    return found
'''
MOVES = '''
"""Steps from place to place."""

from $p.chart import is_open

STEPS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}


def stepped(place, heading):
    """The place next to this one."""
    down, right = STEPS[heading]
    return (place[0] + down, place[1] + right)


def around(rows, place):
    """The open places next to this one: north, east, south, west."""
    near = [stepped(place, heading) for heading in "NESW"]
    return [other for other in near if is_open(rows, other)]
'''
WAYS = '''
"""Shortest ways."""

from $p.chart import is_open
from $p.$moves import around


def steps(rows, start, goal):
    """The least number of steps from start to goal; -1 when there is no way."""
    if not is_open(rows, start) or not is_open(rows, goal):
        return -1
    reached = {start: 0}
    queue = [start]
    while queue:
        place = queue.pop(0)
        if place == goal:
            return reached[place]
        for other in around(rows, place):
            if other not in reached:
                reached[other] = reached[place] + 1
                queue.append(other)
    return -1
'''
REGIONS = '''
"""Open places that hang together."""

from $p.chart import is_open
from $p.$moves import around


def $region(rows, start):
    """The number of places that can be reached from here, this one included."""
    if not is_open(rows, start):
        return 0
    seen = {start}
    waiting = [start]
    while waiting:
        place = waiting.pop()
        for other in around(rows, place):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return len(seen)
'''
ROBOT = '''
"""A robot that is told where to go."""

from $p.chart import is_open
from $p.$moves import stepped

RIGHT = {"N": "E", "E": "S", "S": "W", "W": "N"}
LEFT = {after: before for before, after in RIGHT.items()}


def walk(rows, place, heading, orders):
    """Place and heading after the orders L, R and F; a step against a wall is not taken."""
    for order in orders:
        if order == "L":
            heading = LEFT[heading]
        elif order == "R":
            heading = RIGHT[heading]
        elif order == "F":
            ahead = stepped(place, heading)
            if is_open(rows, ahead):
                place = ahead
    return place, heading
'''
COSTS = '''
"""What a place costs to enter."""

from $p.chart import inside

COSTS = {".": $c1, "~": $c2, "^": $c3}
NONE = $c4


def cost(rows, places):
    """The sum over the places entered; those off the map cost NONE."""
    total = 0
    for place in places:
        if inside(rows, place):
            total += COSTS.get(rows[place[0]][place[1]], 0)
        else:
            total += NONE
    return total
'''
LIGHT = '''
"""What can be seen."""

from $p.chart import is_open
from $p.$moves import stepped

FAR = $far


def seen(rows, place):
    """Open places in straight lines from here, at most FAR away, up to the first wall."""
    found = []
    for heading in "NESW":
        at = place
        for _ in range(FAR):
            at = stepped(at, heading)
            if not is_open(rows, at):
                break
            found.append(at)
    return found
'''
ERRANDS = '''
"""Several goals, one after another."""

from $p.ways import steps

MISSED = $missed


def tour(rows, start, goals):
    """Steps of the tour from start through the goals; a goal without a way costs MISSED and is left out."""
    total = 0
    at = start
    for goal in goals:
        way = steps(rows, at, goal)
        if way < 0:
            total += MISSED
        else:
            total += way
            at = goal
    return total


def nearest(rows, start, goals):
    """The goal with the shortest way, the first among equals; none when none can be reached."""
    best = None
    for goal in goals:
        way = steps(rows, start, goal)
        if way >= 0 and (best is None or way < best[0]):
            best = (way, goal)
    return None if best is None else best[1]
'''
Place = tuple[int, int]


def build(rng: random.Random, size: int) -> Blueprint:
    """A package of 3 to 8 modules about a map."""
    n: dict[str, Any] = {
        "wall": rng.choice("#X%"), "find": rng.choice(("find", "places_of", "marks")),
        "moves": rng.choice(("moves", "steps", "near")), "region": rng.choice(("region", "reachable", "area")),
        "c1": rng.randint(1, 2), "c2": rng.randint(3, 5), "c3": rng.randint(6, 9), "c4": rng.randint(10, 30),
        "far": rng.randint(2, 4), "missed": rng.randint(20, 50),
    }  # fmt: skip
    wall = n["wall"]

    def opened(rows: list[str]) -> dict[Place, str]:
        return {(i, j): char for i, row in enumerate(rows) for j, char in enumerate(row) if char != wall}

    @lru_cache(maxsize=64)
    def distances(rows: tuple[str, ...]) -> dict[tuple[Place, Place], int]:
        """All shortest ways at once, by rounds of relaxation."""
        places = opened(list(rows))
        far = {(a, b): 0 if a == b else 999 for a in places for b in places}
        for (i, j), b in list(far):
            if ((i, j), b) in far and abs(i - b[0]) + abs(j - b[1]) == 1:
                far[(i, j), b] = 1
        for k in places:
            for a in places:
                for b in places:
                    far[a, b] = min(far[a, b], far[a, k] + far[k, b])
        return far

    def steps(rows: list[str], start: Place, goal: Place) -> int:
        way = distances(tuple(rows)).get((start, goal), 999)
        return way if way < 999 else -1

    def walk(rows: list[str], place: Place, heading: str, orders: str) -> tuple[Place, str]:
        at, facing = complex(*place), "NESW".index(heading)
        for order in orders:
            facing = (facing + {"R": 1, "L": 3}.get(order, 0)) % 4
            ahead = at + (-1, 1j, 1, -1j)[facing]
            if order == "F" and (int(ahead.real), int(ahead.imag)) in opened(rows):
                at = ahead
        return (int(at.real), int(at.imag)), "NESW"[facing]

    def cost(rows: list[str], places: list[Place]) -> int:
        fees = {".": n["c1"], "~": n["c2"], "^": n["c3"]}
        every = {(i, j): fees.get(char, 0) for i, row in enumerate(rows) for j, char in enumerate(row)}
        return sum(every.get(place, n["c4"]) for place in places)

    def seen(rows: list[str], place: Place) -> list[Place]:
        found: list[Place] = []
        for down, right in ((-1, 0), (0, 1), (1, 0), (0, -1)):
            line = [(place[0] + k * down, place[1] + k * right) for k in range(1, n["far"] + 1)]
            stops = [i for i, spot in enumerate(line) if spot not in opened(rows)]
            found += line[: stops[0]] if stops else line
        return found

    def tour(rows: list[str], start: Place, goals: list[Place]) -> int:
        total = 0
        for goal in goals:
            way = steps(rows, start, goal)
            total, start = (total + n["missed"], start) if way == -1 else (total + way, goal)
        return total

    def nearest(rows: list[str], start: Place, goals: list[Place]) -> Place | None:
        ways = [(steps(rows, start, goal), i) for i, goal in enumerate(goals)]
        return goals[min(way for way in ways if way[0] >= 0)[1]] if any(way >= 0 for way, _ in ways) else None

    def chart(r: random.Random) -> list[str]:
        wide = r.randint(3, 5)
        return ["".join(r.choice(".." + wall + "~^.") for _ in range(wide)) for _ in range(r.randint(2, 4))]

    def spot(r: random.Random, rows: list[str]) -> Place:
        return r.choice([*opened(rows), (0, 0), (len(rows) - 1, len(rows[0]) - 1)])

    def away(r: random.Random, rows: list[str]) -> Place:
        return r.choice((spot(r, rows), (-1, 0), (len(rows), 1), (0, len(rows[0]))))

    def on(r: random.Random, *draws: Any) -> tuple[Any, ...]:
        rows = chart(r)
        return (rows, *(draw(r, rows) for draw in draws))

    def goals(r: random.Random, rows: list[str]) -> list[Place]:
        return [spot(r, rows) for _ in range(r.randint(1, 3))]

    def orders(r: random.Random, rows: list[str]) -> str:
        return "".join(r.choice("LRFFF") for _ in range(r.randint(2, 8)))

    def region(rows: list[str], start: Place) -> int:
        return sum(steps(rows, start, place) >= 0 for place in opened(rows))

    def marks(rows: list[str], mark: str) -> list[Place]:
        return [(k // len(rows[0]), k % len(rows[0])) for k, char in enumerate("".join(rows)) if char == mark]

    moves = n["moves"]
    parts = [
        Part("chart", 1, CHART, [Probe("chart", n["find"], lambda r: on(r, lambda r, rows: r.choice(".~^")), marks)]),
        Part(
            moves,
            1,
            MOVES,
            [
                Probe(
                    moves,
                    "around",
                    lambda r: on(r, spot),
                    lambda rows, p: [
                        (p[0] + i, p[1] + j)
                        for i, j in ((-1, 0), (0, 1), (1, 0), (0, -1))
                        if (p[0] + i, p[1] + j) in opened(rows)
                    ],
                )
            ],
        ),
        Part("ways", 1, WAYS, [Probe("ways", "steps", lambda r: on(r, spot, away), steps)]),
        Part("regions", 2, REGIONS, [Probe("regions", n["region"], lambda r: on(r, away), region)]),
        Part(
            "robot",
            3,
            ROBOT,
            [Probe("robot", "walk", lambda r: on(r, spot, lambda r, rows: r.choice("NESW"), orders), walk)],
        ),
        Part(
            "costs",
            3,
            COSTS,
            [Probe("costs", "cost", lambda r: on(r, lambda r, rows: [away(r, rows) for _ in range(4)]), cost)],
        ),
        Part("light", 4, LIGHT, [Probe("light", "seen", lambda r: on(r, spot), seen)]),
        Part(
            "errands",
            5,
            ERRANDS,
            [
                Probe("errands", "tour", lambda r: on(r, spot, goals), tour),
                Probe("errands", "nearest", lambda r: on(r, spot, goals), nearest),
            ],
        ),
    ]
    package = rng.choice(("terrain", "island", "rover", "garden"))
    return assembled(package, "Maps and ways over them.", parts, n, size)
