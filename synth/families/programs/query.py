"""Write an SQL query: run by sqlite3 in the sandbox against hidden tables."""

from __future__ import annotations

import random
import re
from typing import Any

from synth.family import Item, family
from synth.sandbox import Test
from warehouse.records import Domain

SCAFFOLD = '''import sqlite3

def f(rows):
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE staff (name TEXT, team TEXT, pay INTEGER)")
        base.executemany("INSERT INTO staff VALUES (?, ?, ?)", rows)
        return [list(row) for row in base.execute("""{completion}""")]
'''
TABLE = "The table staff has the columns name (text), team (text) and pay (integer). Names differ."
NAMES = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida", "Jo")
TEAMS = ("red", "blue", "green")


@family("query", version=1, domain=Domain.CODE, levels=range(1, 5))
class Query:
    """Filters and orders (1), counts (2), groups (3), groups with a condition (4)."""

    def generate(self, rng: random.Random, level: int) -> Item:
        bound, team, word = rng.randint(150, 850), rng.choice(TEAMS), rng.choice(["more", "less"])
        least = rng.randint(2, 3)
        ask, reference = {
            1: (
                f"List the names paid {word} than {bound}, in alphabetical order",
                f"SELECT name FROM staff WHERE pay {_sign(word)} {bound} ORDER BY name",
            ),
            2: (
                f"Count the people of team {team} paid {word} than {bound}",
                f"SELECT COUNT(*) FROM staff WHERE team = '{team}' AND pay {_sign(word)} {bound}",
            ),
            3: (
                f"For each team with anyone paid {word} than {bound}, list the team and the sum of those people's "
                "pay, in alphabetical order of teams",
                f"SELECT team, SUM(pay) FROM staff WHERE pay {_sign(word)} {bound} GROUP BY team ORDER BY team",
            ),
            4: (
                f"List each team that has at least {least} people paid {word} than {bound}, and the highest pay among "
                "those people, in alphabetical order of teams",
                f"SELECT team, MAX(pay) FROM staff WHERE pay {_sign(word)} {bound} GROUP BY team "
                f"HAVING COUNT(*) >= {least} ORDER BY team",
            ),
        }[level]
        tables = [_table(rng, bound) for _ in range(6)]
        tests = [Test(args=(rows,), expected=_meaning(level, rows, bound, team, word, least)) for rows in tables]
        return Item(
            prompt=f"{TABLE} {ask}. Write one SQLite query.",
            answer_kind="program",
            reference=reference,
            entry="f",
            scaffold=SCAFFOLD,
            hidden_tests=tuple(tests),
        )

    def solve(self, item: Item) -> str | None:
        found = re.search(r"paid (more|less) than (\d+)", item.prompt)
        if not found:
            return None
        chosen = f"(SELECT * FROM staff WHERE pay {'>' if found[1] == 'more' else '<'} {found[2]})"
        if team := re.search(r"people of team (\w+)", item.prompt):
            return f"SELECT SUM(team = '{team[1]}') FROM (SELECT team FROM {chosen} UNION ALL SELECT '')"
        if least := re.search(r"at least (\d+) people", item.prompt):
            counted = f"(SELECT COUNT(*) FROM {chosen} b WHERE b.team = a.team) >= {least[1]}"
            return f"SELECT team, MAX(pay) FROM {chosen} a WHERE {counted} GROUP BY 1 ORDER BY 1"
        if "sum of" in item.prompt:
            total = f"(SELECT SUM(pay) FROM {chosen} b WHERE b.team = a.team)"
            return f"SELECT DISTINCT team, {total} FROM {chosen} a ORDER BY team"
        return f"SELECT name FROM {chosen} ORDER BY 1 ASC"


def _sign(word: str) -> str:
    return ">" if word == "more" else "<"


def _table(rng: random.Random, bound: int) -> list[list[Any]]:
    names = rng.sample(NAMES, rng.randint(5, 9))
    pays = [rng.choice([rng.randint(100, 900), bound, bound + 1, bound - 1]) for _ in names]
    return [[name, rng.choice(TEAMS), pay] for name, pay in zip(names, pays, strict=True)]


def _meaning(level: int, rows: list[list[Any]], bound: int, team: str, word: str, least: int) -> list[list[Any]]:
    kept = [row for row in rows if (row[2] > bound if word == "more" else row[2] < bound)]
    if level == 1:
        return [[name] for name in sorted(row[0] for row in kept)]
    if level == 2:
        return [[len([row for row in kept if row[1] == team])]]
    teams = sorted({row[1] for row in kept})
    pays = {name: [row[2] for row in kept if row[1] == name] for name in teams}
    if level == 3:
        return [[name, sum(pays[name])] for name in teams]
    return [[name, max(pays[name])] for name in teams if len(pays[name]) >= least]
