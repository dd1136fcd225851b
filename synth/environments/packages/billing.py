"""Packages about money: discounts, taxes, shipping, coupons, stock and reports, in layers."""

from __future__ import annotations

import random
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from synth.environments.packages.blueprint import Blueprint, Part, Probe, assembled

MONEY = '''
"""Amounts are whole cents."""


def share(cents, percent):
    """`percent` of an amount, rounded half up to whole cents."""
    return (cents * percent + 50) // 100


def shown(cents):
    """An amount as text, such as 12.05."""
    whole, rest = divmod(cents, 100)
    return f"{whole}.{rest:02d}"
'''
RATES = '''
"""Discounts by quantity."""

TIERS = [($t3, $d3), ($t2, $d2), ($t1, $d1)]


def percent_off(quantity):
    """Percent off for this many pieces of one article."""
    for least, percent in TIERS:
        if quantity >= least:
            return percent
    return 0
'''
LINES = '''
"""One line of an order."""

from $p.money import share
from $p.rates import percent_off


def $line(price, quantity):
    """What `quantity` pieces at `price` cost; nothing for none."""
    if quantity <= 0:
        return 0
    gross = price * quantity
    return gross - share(gross, percent_off(quantity))


def subtotal(items):
    """The sum over (price, quantity) pairs."""
    total = 0
    for price, quantity in items:
        total += $line(price, quantity)
    return total
'''
TAX = '''
"""Taxes by region."""

from $p.money import share

RATES = {"north": $r1, "south": $r2, "isles": 0}
USUAL = $r3


def tax(amount, region):
    """The tax on an amount; regions that are not listed pay the usual rate."""
    rate = RATES.get(region, USUAL)
    return share(amount, rate)
'''
SHIPPING = '''
"""What sending costs."""

FREE_FROM = $free
BASE = $base
LIGHT = $light
STEP = $step


def shipping(amount, weight):
    """The fee for a parcel: free from FREE_FROM on, dearer by STEP for each unit of weight beyond LIGHT."""
    if amount >= FREE_FROM:
        return 0
    fee = BASE
    if weight > LIGHT:
        fee += (weight - LIGHT) * STEP
    return fee
'''
CHECKOUT = '''
"""The whole bill."""

from $p.$lines import subtotal
from $p.shipping import shipping
from $p.tax import tax


def bill(items, region, weight):
    """Subtotal, tax, fee and total of an order."""
    amount = subtotal(items)
    fee = shipping(amount, weight)
    levy = tax(amount + fee, region)
    return {"subtotal": amount, "tax": levy, "shipping": fee, "total": amount + fee + levy}
'''
COUPONS = '''
"""Coupons: a fixed sum or a percentage off, never below nothing."""

from $p.money import share

COUPONS = {"WELCOME": ("fixed", $c1, 0), "SPRING": ("percent", $c2, 0), "BIG": ("percent", $c3, $c4)}


def redeemed(amount, codes):
    """What is left to pay after the codes, in their order; each counts once and from its least amount on."""
    used = set()
    for code in codes:
        if code not in COUPONS or code in used:
            continue
        kind, value, least = COUPONS[code]
        if amount < least:
            continue
        used.add(code)
        off = value if kind == "fixed" else share(amount, value)
        amount = max(0, amount - off)
    return amount
'''
STOCK = '''
"""What is in store."""


def reserve(stock, orders):
    """The stock after the (article, pieces) orders that can be met whole, and the places of the others."""
    left = dict(stock)
    refused = []
    for place, (article, pieces) in enumerate(orders):
        if pieces > left.get(article, 0):
            refused.append(place)
        else:
            left[article] = left[article] - pieces if article in left else 0
    return left, refused
'''
REPORT = '''
"""Figures over many orders."""

from $p.$lines import subtotal
from $p.money import shown


def by_customer(orders):
    """(customer, sum) pairs of (customer, items) orders, largest first, equal sums by name."""
    sums = {}
    for customer, items in orders:
        sums[customer] = sums.get(customer, 0) + subtotal(items)
    return sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))


def headline(orders):
    """The best customer and what they spent, as text."""
    ranking = by_customer(orders)
    if not ranking:
        return "no orders"
    name, cents = ranking[0]
    return f"{name}: {shown(cents)}"
'''


def build(rng: random.Random, size: int) -> Blueprint:
    """A package of 3 to 9 modules about orders."""
    t1 = rng.randint(3, 6)
    t2, d1 = t1 + rng.randint(3, 6), rng.randint(2, 6)
    n: dict[str, Any] = {
        "t1": t1, "t2": t2, "t3": t2 + rng.randint(5, 15), "d1": d1, "d2": d1 + rng.randint(2, 6),
        "d3": d1 + rng.randint(9, 14), "r1": rng.randint(5, 9), "r2": rng.randint(10, 25), "r3": rng.randint(15, 22),
        "free": rng.randint(20, 60) * 100, "base": rng.randint(3, 7) * 100 - rng.choice((1, 5, 10)),
        "light": rng.randint(2, 5), "step": rng.randint(20, 90), "c1": rng.randint(2, 9) * 100,
        "c2": rng.randint(5, 20), "c3": rng.randint(21, 40), "c4": rng.randint(10, 30) * 100,
        "line": rng.choice(("line_total", "cost_of_line", "priced")), "lines": rng.choice(("lines", "order", "basket")),
    }  # fmt: skip
    tiers = [(n["t1"], n["d1"]), (n["t2"], n["d2"]), (n["t3"], n["d3"])]

    def part_of(cents: int, percent: int) -> int:
        return int((Decimal(cents) * percent / 100).quantize(Decimal(1), ROUND_HALF_UP))

    def line(price: int, quantity: int) -> int:
        off = max([0, *(d for t, d in tiers if t <= quantity)])
        return price * quantity - part_of(price * quantity, off) if quantity > 0 else 0

    def subtotal(items: list[tuple[int, int]]) -> int:
        return sum(line(*item) for item in items)

    def tax(amount: int, region: str) -> int:
        return part_of(amount, {"north": n["r1"], "south": n["r2"], "isles": 0}.get(region, n["r3"]))

    def shipping(amount: int, weight: int) -> int:
        return 0 if amount >= n["free"] else n["base"] + max(0, weight - n["light"]) * n["step"]

    def bill(items: list[tuple[int, int]], region: str, weight: int) -> dict[str, int]:
        fee = shipping(subtotal(items), weight)
        levy = tax(subtotal(items) + fee, region)
        return {"subtotal": subtotal(items), "tax": levy, "shipping": fee, "total": subtotal(items) + fee + levy}

    def redeemed(amount: int, codes: list[str]) -> int:
        for code in dict.fromkeys(codes):
            off = {"WELCOME": n["c1"], "SPRING": part_of(amount, n["c2"]), "BIG": part_of(amount, n["c3"])}
            amount = max(0, amount - (0 if code == "BIG" and amount < n["c4"] else off.get(code, 0)))
        return amount

    def reserve(stock: dict[str, int], orders: list[tuple[str, int]]) -> tuple[dict[str, int], list[int]]:
        taken: Counter[str] = Counter()
        met = [taken[a] + k <= stock.get(a, 0) and not taken.update({a: k}) for a, k in orders]
        left = {a: k - taken[a] for a, k in stock.items()}
        return left | {a: 0 for a in taken if a not in stock}, [i for i, ok in enumerate(met) if not ok]

    def ranking(orders: list[tuple[str, list[tuple[int, int]]]]) -> list[tuple[str, int]]:
        names = sorted({name for name, _ in orders})
        sums = [(name, sum(subtotal(items) for other, items in orders if other == name)) for name in names]
        return sorted(sums, key=lambda pair: pair[1], reverse=True)

    def headline(orders: list[tuple[str, list[tuple[int, int]]]]) -> str:
        best = ranking(orders)
        return f"{best[0][0]}: {Decimal(best[0][1]) / 100:.2f}" if best else "no orders"

    def some_items(r: random.Random) -> list[tuple[int, int]]:
        return [(r.randint(50, 900), r.choice((0, 1, 2, t1 - 1, t1, t2, n["t3"]))) for _ in range(r.randint(1, 4))]

    def some_orders(r: random.Random) -> list[tuple[str, list[tuple[int, int]]]]:
        return [(r.choice(("ann", "bob", "eve")), some_items(r)) for _ in range(r.randint(0, 4))]

    def amount(r: random.Random) -> int:
        return r.choice((n["free"], n["free"] - 1, n["c4"], r.randint(0, 2 * n["free"])))

    lines = n["lines"]
    parts = [
        Part("money", 1, MONEY),
        Part("rates", 1, RATES),
        Part(
            lines,
            1,
            LINES,
            [
                Probe(lines, "subtotal", lambda r: (some_items(r),), subtotal),
                Probe(lines, n["line"], lambda r: some_items(r)[0], line),
            ],
        ),
        Part(
            "tax",
            2,
            TAX,
            [Probe("tax", "tax", lambda r: (amount(r), r.choice(("north", "south", "isles", "moon"))), tax)],
        ),
        Part(
            "shipping", 2, SHIPPING, [Probe("shipping", "shipping", lambda r: (amount(r), r.randint(0, 9)), shipping)]
        ),
        Part(
            "checkout",
            3,
            CHECKOUT,
            [
                Probe(
                    "checkout",
                    "bill",
                    lambda r: (some_items(r), r.choice(("north", "south", "moon")), r.randint(0, 9)),
                    bill,
                )
            ],
        ),
        Part(
            "coupons",
            4,
            COUPONS,
            [
                Probe(
                    "coupons",
                    "redeemed",
                    lambda r: (amount(r), r.choices(("WELCOME", "SPRING", "BIG", "OLD"), k=r.randint(1, 4))),
                    redeemed,
                )
            ],
        ),
        Part(
            "stock",
            4,
            STOCK,
            [
                Probe(
                    "stock",
                    "reserve",
                    lambda r: (
                        {"pen": r.randint(0, 9), "cup": r.randint(0, 9)},
                        [(r.choice(("pen", "cup", "hat")), r.randint(0, 6)) for _ in range(r.randint(1, 5))],
                    ),
                    reserve,
                )
            ],
        ),
        Part(
            "report",
            5,
            REPORT,
            [
                Probe("report", "by_customer", lambda r: (some_orders(r),), ranking),
                Probe("report", "headline", lambda r: (some_orders(r),), headline),
            ],
        ),
    ]
    package = rng.choice(("shop", "till", "ledger", "market", "kiosk"))
    return assembled(package, "Orders, their prices and what is made of them.", parts, n, size)
