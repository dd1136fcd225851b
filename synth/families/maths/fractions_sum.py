"""Add and subtract fractions: exact rationals, checked over a common denominator."""

from __future__ import annotations

import math
import random
import re
from fractions import Fraction

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("fractions", version=1, domain=Domain.MATH, levels=range(2, 7))
class Fractions:
    """Signed sums of `level` fractions with denominators up to 6 + 3 * level."""

    def generate(self, rng: random.Random, level: int) -> Item:
        total = Fraction(0)
        parts: list[str] = []
        for _ in range(level):
            bottom = rng.randint(2, 6 + 3 * level)
            top, sign = rng.randint(1, 2 * bottom), rng.choice((1, -1)) if parts else 1
            total += Fraction(sign * top, bottom)
            parts.append(f"{'' if not parts else ' + ' if sign > 0 else ' - '}{top}/{bottom}")
        return asked(f"Compute {''.join(parts)} as a fraction in lowest terms.", total, "text")

    def solve(self, item: Item) -> str | None:
        parts = re.findall(r"([-+] )?(\d+)/(\d+)", item.prompt)
        common = math.lcm(*(int(bottom) for _, _, bottom in parts))
        top = sum((-1 if sign == "- " else 1) * int(up) * (common // int(down)) for sign, up, down in parts)
        shared = math.gcd(top, common)
        return boxed(f"{top // shared}/{common // shared}" if shared != common else top // shared)
