"""Packages that interpret a small language: a reader, handlers in a table, an object with state, a driver."""

from __future__ import annotations

import random
from typing import Any

from synth.environments.packages.blueprint import Blueprint, Part, Probe, assembled

READING = '''
"""Programs as text: one instruction a line."""


def instructions(text):
    """(name, number) pairs; the number is none where there is none, and what follows a # is a remark."""
    found = []
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, _, rest = line.partition(" ")
        found.append((name, int(rest) if rest else None))
    return found
'''
STATE = '''
"""What a machine knows."""

DEEPEST = $deepest


class Machine:
    """A stack of whole numbers, and cells."""

    def __init__(self):
        self.stack = []
        self.cells = {}

    def push(self, value):
        """Put a number on top; beyond DEEPEST the lowest one is lost."""
        self.stack.append(value)
        if len(self.stack) > DEEPEST:
            self.stack.pop(0)

    def pop(self):
        """Take the top number; 0 from an empty stack."""
        if not self.stack:
            return 0
        return self.stack.pop()

    def pair(self):
        """Take two numbers: the lower one first."""
        upper = self.pop()
        lower = self.pop()
        return lower, upper
'''
BASICS = '''
"""Arithmetic."""


def add(machine, _):
    """The sum of the two top numbers in their place."""
    lower, upper = machine.pair()
    machine.push(lower + upper)


def sub(machine, _):
    """The lower one less the upper one in their place."""
    lower, upper = machine.pair()
    machine.push(lower - upper)


def mod(machine, _):
    """The rest of lower by upper in their place; 0 when there is no such rest."""
    lower, upper = machine.pair()
    machine.push(lower % upper if upper else 0)


def put(machine, number):
    """A number on top."""
    machine.push(number)


TABLE = {"$add": add, "$sub": sub, "mod": mod, "$put": put}
'''
MOVES = '''
"""Moving numbers about."""


def twice(machine, _):
    """The top number once more."""
    top = machine.pop()
    machine.push(top)
    machine.push(top)


def swap(machine, _):
    """The two top numbers the other way round."""
    lower, upper = machine.pair()
    machine.push(upper)
    machine.push(lower)


def turn(machine, number):
    """The lowest number on top, `number` times."""
    for _ in range(number or 1):
        if len(machine.stack) > 1:
            machine.push(machine.stack.pop(0))


TABLE = {"twice": twice, "swap": swap, "turn": turn}
'''
CELLS = '''
"""Remembering numbers."""


def keep(machine, cell):
    """Take the top number into a cell."""
    machine.cells[cell] = machine.pop()


def load(machine, cell):
    """A cell's number on top; 0 when nothing was kept."""
    machine.push(machine.cells.get(cell, 0))


def raise_to(machine, cell):
    """Make a cell's number at least the top number, which is taken."""
    value = machine.pop()
    if value > machine.cells.get(cell, 0):
        machine.cells[cell] = value


TABLE = {"keep": keep, "load": load, "raise": raise_to}
'''
TABLES = '''
"""Every instruction."""

$imports

HANDLERS = {}
for table in ($tables):
    HANDLERS.update(table)


def handler(name):
    """The function of an instruction; none when there is no such instruction."""
    return HANDLERS.get(name)
'''
DRIVER = '''
"""Running programs."""

from $p.$reading import instructions
from $p.state import Machine
from $p.tables import handler

MOST = $most


def run(text):
    """The stack after a program; unknown instructions are left out, and MOST instructions are run at most."""
    machine = Machine()
    for count, (name, number) in enumerate(instructions(text)):
        if count >= MOST:
            break
        act = handler(name)
        if act is not None:
            act(machine, number)
    return machine.stack


def result(text):
    """The top of the stack after a program; 0 when it is empty."""
    stack = run(text)
    return stack[-1] if stack else 0
'''
AUDIT = '''
"""Looking at programs without running them."""

from $p.$reading import instructions
from $p.tables import handler


def unknown(text):
    """The places, from 1, of instructions that there are not."""
    return [place for place, (name, _) in enumerate(instructions(text), 1) if handler(name) is None]


def census(text):
    """How often each known instruction occurs."""
    found = {}
    for name, _ in instructions(text):
        if handler(name) is not None:
            found[name] = found.get(name, 0) + 1
    return found
'''
SERIES = '''
"""One program on many numbers."""

from $p.driver import result

START = "$put"


def series(text, numbers):
    """The result of a program for each number that it finds on the stack."""
    return [result(f"{START} {number}\\n{text}") for number in numbers]


def best(text, numbers):
    """The number with the largest result, the first among equals; none without numbers."""
    results = series(text, numbers)
    if not results:
        return None
    return numbers[results.index(max(results))]
'''


def build(rng: random.Random, size: int) -> Blueprint:
    """A package of 5 to 9 modules that runs programs."""
    n: dict[str, Any] = {
        "deepest": rng.randint(4, 6), "most": rng.randint(7, 10), "add": rng.choice(("add", "plus")),
        "sub": rng.choice(("sub", "less")), "put": rng.choice(("put", "push")),
        "reading": rng.choice(("reading", "parser", "source")),
    }  # fmt: skip
    tables = ["basics"] + ["moves"] * (size >= 2) + ["cells"] * (size >= 3)
    n["imports"] = "\n".join(f"from $p import {name}" for name in tables)
    n["tables"] = ", ".join(f"{name}.TABLE" for name in tables) + ","
    known = [n["add"], n["sub"], "mod", n["put"]] + ["twice", "swap", "turn"] * (size >= 2)
    known += ["keep", "load", "raise"] * (size >= 3)

    def split(text: str) -> list[tuple[str, int | None]]:
        rows = [line[: (line + "#").index("#")].split() for line in text.split("\n")]
        return [(row[0], int(row[1]) if len(row) > 1 else None) for row in rows if row]

    def run(text: str) -> list[int]:
        stack: list[int] = []
        cells: dict[int | None, int] = {}
        for name, number in [row for row in split(text)[: n["most"]] if row[0] in known]:
            a, b = ([0, 0, *stack])[-2:]
            binary = {n["add"]: [a + b], n["sub"]: [a - b], "mod": [a % b if b else 0], "swap": [b, a]}
            if name in binary:
                stack = stack[:-2] + binary[name]
            elif name == n["put"]:
                stack = [*stack, number or 0]
            elif name == "twice":
                stack = [*stack[:-1], b, b]
            elif name == "turn":
                by = (number or 1) % len(stack) if stack else 0
                stack = stack[by:] + stack[:by]
            elif name == "keep":
                cells[number], stack = b, stack[:-1]
            elif name == "raise":
                cells[number], stack = max(cells.get(number, 0), b), stack[:-1]
                cells = {cell: value for cell, value in cells.items() if value}
            else:
                stack = [*stack, cells.get(number, 0)]
            stack = stack[-n["deepest"] :]
        return stack

    def result(text: str) -> int:
        return ([0, *run(text)])[-1]

    def some(r: random.Random, start: int = 2) -> str:
        lines = [f"{n['put']} {r.randint(-9, 20)}" for _ in range(r.randint(start, 4))]
        for _ in range(r.randint(1, 6)):
            name = r.choice([*known, "jump"])
            number = {n["put"]: r.randint(0, 9), "turn": r.randint(1, 3)}.get(name, r.randint(1, 2))
            takes = name in (n["put"], "turn", "keep", "load", "raise")
            lines.append(r.choice(("", "", "  ")) + name + f" {number}" * takes + r.choice(("", "", " # so")))
        return "\n".join(lines)

    def best(text: str, numbers: list[int]) -> int | None:
        return max(numbers, key=lambda k: result(f"{n['put']} {k}\n{text}")) if numbers else None

    def numbers(r: random.Random) -> list[int]:
        return [r.randint(-9, 20) for _ in range(r.randint(0, 4))]

    def census(text: str) -> dict[str, int]:
        names = [name for name, _ in split(text) if name in known]
        return {name: names.count(name) for name in names}

    reading = n["reading"]
    parts = [
        Part(reading, 1, READING, [Probe(reading, "instructions", lambda r: (some(r),), split)]),
        Part("state", 1, STATE),
        Part("basics", 1, BASICS),
        Part("moves", 2, MOVES),
        Part("cells", 3, CELLS),
        Part("tables", 1, TABLES.replace("$imports", str(n["imports"]))),
        Part(
            "driver",
            1,
            DRIVER,
            [
                Probe("driver", "run", lambda r: (some(r),), run),
                Probe("driver", "run", lambda r: (some(r),), run),
                Probe("driver", "result", lambda r: (some(r, 0),), result),
            ],
        ),
        Part(
            "audit",
            4,
            AUDIT,
            [
                Probe(
                    "audit",
                    "unknown",
                    lambda r: (some(r),),
                    lambda t: [i + 1 for i, (w, _) in enumerate(split(t)) if w not in known],
                ),
                Probe("audit", "census", lambda r: (some(r),), census),
            ],
        ),
        Part(
            "series",
            5,
            SERIES,
            [
                Probe(
                    "series",
                    "series",
                    lambda r: (some(r, 0), numbers(r)),
                    lambda t, ks: [result(f"{n['put']} {k}\n{t}") for k in ks],
                ),
                Probe("series", "best", lambda r: (some(r, 0), numbers(r)), best),
            ],
        ),
    ]
    package = rng.choice(("stacker", "forthling", "tally", "automat"))
    return assembled(package, "A machine with a stack, and its programs.", parts, n, size)
