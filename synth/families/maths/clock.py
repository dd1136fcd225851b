"""The angle between a clock's hands: by formula, checked by moving the hands minute by minute."""

from __future__ import annotations

import random
import re
from fractions import Fraction

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("clock", version=1, domain=Domain.MATH, levels=range(1, 4))
class Clock:
    """The smaller angle in degrees some minutes after a time: on the hour (1), on 5 minutes (2), any (3)."""

    def generate(self, rng: random.Random, level: int) -> Item:
        step = {1: 30, 2: 5, 3: 1}[level]
        hour, minute, later = rng.randint(1, 12), rng.randrange(0, 60, step), rng.randrange(step, 600, step)
        total = (hour % 12 * 60 + minute + later) % 720
        angle = abs(Fraction(total, 2) - 6 * (total % 60))
        question = (
            f"A clock with hour and minute hands shows {hour}:{minute:02d}. What is the smaller angle between the "
            f"hands, in degrees, {later} minutes later?"
        )
        return asked(question, min(angle, 360 - angle), "rational")

    def solve(self, item: Item) -> str | None:
        found = re.search(r"shows (\d+):(\d+)\..* (\d+) minutes later", item.prompt)
        if not found:
            return None
        hour_hand, minute_hand = int(found[1]) % 12 * 60, 0
        for _ in range(int(found[2]) + int(found[3])):
            hour_hand, minute_hand = (hour_hand + 1) % 720, (minute_hand + 12) % 720
        gap = (hour_hand - minute_hand) % 720
        return boxed(Fraction(min(gap, 720 - gap), 2))
