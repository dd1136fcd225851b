"""Days between two dates: by the calendar library, checked by counting years and months."""

from __future__ import annotations

import random
import re
from datetime import date, timedelta

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain

MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@family("days_between", version=1, domain=Domain.MATH, levels=range(1, 5))
class DaysBetween:
    """The number of days from one Gregorian date to a later one, up to 60 * 9 ** (`level` - 1) days on."""

    def generate(self, rng: random.Random, level: int) -> Item:
        start = date(1900, 1, 1) + timedelta(rng.randrange(36500))
        end = start + timedelta(rng.randint(9 ** (level - 1), 60 * 9 ** (level - 1)))
        return asked(f"How many days is it from {start} to {end} in the Gregorian calendar?", (end - start).days)

    def solve(self, item: Item) -> str | None:
        found = re.findall(r"(\d{4})-(\d\d)-(\d\d)", item.prompt)
        start, end = (_ordinal(int(year), int(month), int(day)) for year, month, day in found)
        return boxed(end - start)


def _ordinal(year: int, month: int, day: int) -> int:
    days = sum(365 + _leap(earlier) for earlier in range(1800, year))
    days += sum(MONTHS[: month - 1]) + (month > 2 and _leap(year))
    return days + day


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
