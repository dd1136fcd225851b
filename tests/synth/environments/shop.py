"""A small repair task written by hand: one wrong sign in one of three modules."""

from __future__ import annotations

import json

from synth.environments.repository.draft import written
from synth.sandbox import Test, dump_tests
from warehouse.records import Domain, Task


def call(module: str, function: str, *args: object, expected: object) -> Test:
    return Test(args=(f"shop.{module}", function, list(args)), expected=expected)


VISIBLE = (
    call("prices", "total", [100, 200], 10, expected=270),
    call("prices", "total", [], 5, expected=0),
)
HIDDEN = (
    call("prices", "total", [50], 50, expected=25),
    call("prices", "total", [999, 1], 1, expected=990),
    call("prices", "total", [3], 0, expected=3),
    call("money", "share", 250, 10, expected=25),
    call("money", "share", 7, 50, expected=4),
)
PRICES = '''"""Prices."""

from shop.money import share


def total(prices, percent):
    """The sum of the prices less a discount in percent."""
    gross = sum(prices)
    return gross + share(gross, percent)
'''
MONEY = '''"""Whole cents."""


def share(cents, percent):
    """Percent of an amount, rounded half up."""
    return (cents * percent + 50) // 100
'''
FILES = {
    "README.md": "# shop\n",
    "shop/__init__.py": '"""A shop."""\n',
    "shop/money.py": MONEY,
    "shop/prices.py": PRICES,
    "tests/test_shop.py": written(VISIBLE),
}
FIXED = {**FILES, "shop/prices.py": PRICES.replace("gross + share", "gross - share")}
TASK = Task(
    task_id="shop",
    domain=Domain.AGENT,
    family="repository",
    level=1,
    params={"environment": "repository", "package": "shop", "scope": ["shop/*.py", "README.md"]},
    prompt="Totals are too high.",
    answer_kind="patch",
    entry="call",
    scaffold=json.dumps(FILES),
    tests=dump_tests(VISIBLE),
    hidden_tests=dump_tests(HIDDEN),
)
