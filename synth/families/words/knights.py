"""Knights and knaves: made by trying every assignment, checked by z3."""

from __future__ import annotations

import random
import re
from itertools import product

import z3

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain

NAMES = "ABCDEFG"


def _true(statement: tuple[str, int, int], knights: tuple[bool, ...]) -> bool:
    kind, a, b = statement
    return {
        "knave": not knights[a],
        "same": knights[a] == knights[b],
        "either": knights[a] or knights[b],
        "not both": not (knights[a] and knights[b]),
    }[kind]


def _said(statement: tuple[str, int, int]) -> str:
    kind, a, b = statement
    left, right = NAMES[a], NAMES[b]
    return {
        "knave": f"{left} is a knave",
        "same": f"{left} and {right} are of the same kind",
        "either": f"at least one of {left} and {right} is a knight",
        "not both": f"{left} and {right} are not both knights",
    }[kind]


@family("knights", version=1, domain=Domain.MATH, levels=range(4, 8))
class Knights:
    """`level` people, each of whom makes a statement; exactly one assignment fits them all."""

    def generate(self, rng: random.Random, level: int) -> Item:
        while True:
            statements = []
            for speaker in range(level):
                a, b = rng.sample([person for person in range(level) if person != speaker], 2)
                statements.append((rng.choice(["knave", "same", "either", "not both"]), min(a, b), max(a, b)))
            fits = [
                knights
                for knights in product((False, True), repeat=level)
                if all(_true(said, knights) == knights[speaker] for speaker, said in enumerate(statements))
            ]
            if len(fits) == 1:
                break
        spoken = " ".join(f'{NAMES[speaker]} says: "{_said(said)}."' for speaker, said in enumerate(statements))
        answer = "".join("K" if knight else "N" for knight in fits[0])
        return asked(
            f"Knights always tell the truth and knaves always lie. {spoken} Write K for each knight and N for each "
            f"knave, in the order {NAMES[:level]}, without spaces.",
            answer,
            "text",
        )

    def solve(self, item: Item) -> str | None:
        said = re.findall(r'([A-G]) says: "(.*?)\."', item.prompt)
        knight = {name: z3.Bool(name) for name, _ in said}
        solver = z3.Solver()
        for name, statement in said:
            people = [knight[letter] for letter in re.findall(r"\b[A-G]\b", statement)]
            if "same kind" in statement:
                meaning = people[0] == people[1]
            elif "at least one" in statement:
                meaning = z3.Or(*people)
            elif "not both" in statement:
                meaning = z3.Not(z3.And(*people))
            else:
                meaning = z3.Not(people[0])
            solver.add(knight[name] == meaning)
        if solver.check() != z3.sat:
            return None
        model = solver.model()
        found = {name: z3.is_true(model[variable]) for name, variable in knight.items()}
        solver.add(z3.Or(*(knight[name] != value for name, value in found.items())))
        if solver.check() != z3.unsat:
            return None
        return boxed("".join("K" if found[name] else "N" for name in sorted(found)))
