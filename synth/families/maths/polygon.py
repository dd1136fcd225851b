"""Twice a polygon's area: by the shoelace formula, checked by Pick's theorem over lattice points."""

from __future__ import annotations

import math
import random
import re

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("polygon", version=1, domain=Domain.MATH, levels=range(3, 7))
class Polygon:
    """Twice the area of a simple lattice polygon with `level` corners, star-shaped around the origin."""

    def generate(self, rng: random.Random, level: int) -> Item:
        corners = _corners(rng, level)
        while not corners:
            corners = _corners(rng, level)
        area = sum(x * v - u * y for (x, y), (u, v) in zip(corners, corners[1:] + corners[:1], strict=True))
        listed = ", ".join(map(str, corners))
        question = f"A polygon has the corners {listed}, joined in this order. What is twice its area?"
        return asked(question, abs(area))

    def solve(self, item: Item) -> str | None:
        corners = [(int(x), int(y)) for x, y in re.findall(r"\((-?\d+), (-?\d+)\)", item.prompt)]
        sides = list(zip(corners, corners[1:] + corners[:1], strict=True))
        border = sum(math.gcd(u - x, v - y) for (x, y), (u, v) in sides)
        low_x, high_x = min(x for x, _ in corners), max(x for x, _ in corners)
        low_y, high_y = min(y for _, y in corners), max(y for _, y in corners)
        inside = sum(_winds(sides, x, y) for x in range(low_x, high_x + 1) for y in range(low_y, high_y + 1))
        return boxed(2 * inside + border - 2)


def _corners(rng: random.Random, n: int) -> list[tuple[int, int]]:
    """Points ordered by angle, no two on one ray and no gap of half a turn, or nothing."""
    points = [(rng.randint(-7, 7), rng.randint(-7, 7)) for _ in range(n)]
    if (0, 0) in points:
        return []
    points.sort(key=lambda point: math.atan2(point[1], point[0]))
    turns = [x * v - u * y for (x, y), (u, v) in zip(points, points[1:] + points[:1], strict=True)]
    return points if min(turns) > 0 else []


def _winds(sides: list[tuple[tuple[int, int], tuple[int, int]]], x: int, y: int) -> bool:
    """Whether a point lies strictly inside: on no side, and a ray to the right crosses an odd number of sides."""
    odd = False
    for (a, b), (c, d) in sides:
        cross = (c - a) * (y - b) - (d - b) * (x - a)
        if cross == 0 and min(a, c) <= x <= max(a, c) and min(b, d) <= y <= max(b, d):
            return False
        if (b > y) != (d > y) and (cross > 0) == (d > b):
            odd = not odd
    return odd
