"""Writes the generated pages of the documentation: `python scripts/reference.py`.

`docs/schema.md` follows from the records, `docs/queries.md` from the headers of `warehouse/sql` and `warehouse/views`,
`docs/actions.md` from the detectors and the table of actions. `--check` writes nothing and exits 1 when one is old.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from curriculum.actions import DISSOLVED, DISSOLVING, FALLEN, MAX_ROLLBACKS, NEEDS_AGREEMENT, RULES, RULES_VERSION, Rule
from curriculum.detectors import DETECTORS
from curriculum.detectors.protocol import Detector
from curriculum.knobs import KNOBS
from warehouse.contracts import STAMPS, ColumnContract, TableContract, contracts
from warehouse.named import SQL

DOCS = Path(__file__).resolve().parents[1] / "docs"
WRITTEN = "Written by `python scripts/reference.py`."
_GRAIN = re.compile(r"\s*grain: (.+?); keys: (.+?)\s*$")
_PARAM = re.compile(r"^param (\w+)(?: = (.*?))?: (.+)$")


def schema() -> str:
    """The page of every table: grain, keys, columns, rules."""
    stamps = ", ".join(f"`{name}` ({meaning})" for name, (_, _, meaning) in STAMPS.items())
    intro = f"""# Warehouse schema

Every table is append-only: the newest row of a key counts, and the views under [named queries](queries.md) give it.
Beside its own columns each row carries
{stamps}.

A column marked *private* lives in the schema `private` alone; one marked *private for held-out* is empty in the
public table for tasks of the held-out split. `gradatim sql --private` attaches that schema. JSON is canonical text:
`json_extract(params, '$.seed')`. `gradatim tables rollouts` prints the same for one table.

{WRITTEN}
"""
    return "\n".join([intro, *map(_table, contracts().values())])


def _table(table: TableContract) -> str:
    keys = ", ".join(f"`{key}`" for key in table.keys)
    rows = [
        (f"`{c.name}`", c.sql_type.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ"), *_about(c))
        for c in table.columns
    ]
    rules = "".join(f"\nRule: {sentence}.\n" for sentence, _ in table.rules)
    head = f"## {table.name}\n\n{table.meaning} Grain: {table.grain}. Keys: {keys}.\n"
    return "\n".join([head, *_grid(("column", "type", "meaning", "limits"), rows), rules]).rstrip("\n") + "\n"


def _about(column: ColumnContract) -> tuple[str, str]:
    about = column.column
    limits = [] if not column.nullable else ["may be null"]
    if about.low is not None or about.high is not None:
        limits.append(_range(about.low, about.high))
    limits += [f"in {about.unit}"] if about.unit else []
    limits += ["one of " + ", ".join(f"`{word}`" for word in column.words)] if column.words else []
    limits += [f"refers to `{about.references}`"] if about.references else []
    limits += ["JSON"] if column.encoded or about.json else []
    limits += [{True: "private", "heldout": "private for held-out"}[about.private]] if about.private else []
    return about.meaning, "; ".join(limits)


def _range(low: float | None, high: float | None) -> str:
    if low is None:
        return f"at most {high:g}"
    return f"at least {low:g}" if high is None else f"{low:g} to {high:g}"


def queries() -> str:
    """The page of views and named queries, from the headers of their files."""
    intro = f"""# Views and named queries

A view is a table that is computed: `gradatim sql "select * from current_tasks limit 5"`. A named query is asked by
its name: `gradatim sql --named weak_spots --param min_n=16`. A parameter without a default must be given.

{WRITTEN}

## Views
"""
    views = [_query(file, file.stem.partition("_")[2]) for file in sorted((SQL.parent / "views").glob("*.sql"))]
    named = [_query(file, file.stem) for file in sorted(SQL.glob("*.sql"))]
    return "\n".join([intro, *views, "## Named queries\n", *named])


def _query(file: Path, name: str) -> str:
    words, grain, params = [], "", []
    for line in file.read_text("utf-8").splitlines():
        if not line.startswith("-- "):
            break
        text = line.removeprefix("-- ")
        if found := _PARAM.match(text):
            default = f"default `{found[2]}`" if found[2] else "must be given"
            params.append(f"- `{found[1]}`, {default}: {found[3]}")
            continue
        if found := _GRAIN.search(text):
            grain, text = (
                f" Grain: {found[1]}. Keys: {', '.join(f'`{k}`' for k in found[2].split(', '))}.",
                text[: found.start()],
            )
        words.append(text)
    body = f"### {name}\n\n{' '.join(filter(None, words))}{grain}\n"
    return body + ("\n" + "\n".join(params) + "\n" if params else "")


def actions() -> str:
    """The page of detectors, what is done about each, and the knobs that actions may move."""
    detectors = [_detector(found) for found in DETECTORS]
    ladders = [(f"`{alarm}`", *_ladder(rules)) for alarm, rules in RULES.items()]
    agreement = "\n".join(
        f"- `{alarm}` acts only while {' or '.join(f'`{ally}`' for ally in allies)} stands too."
        for alarm, allies in NEEDS_AGREEMENT.items()
    )
    knobs = [
        (f"`{name}`", f"{knob.low:g} to {knob.high:g}", knob.scope.value, knob.unless or "")
        for name, knob in KNOBS.items()
    ]
    parts = [
        f"""# Detectors and actions

{WRITTEN} Rules version {RULES_VERSION}; it is stored with every action.

## Detectors

A detector reads series and gives one number; larger is worse. It fires after so many readings in a row at or above
a level, and clears under .8 of it. One that is *evidence* may justify a roll-back or a stop by itself.
""",
        *_grid(("detector", "measures", "warn", "critical", "readings", "evidence"), detectors),
        """
## Actions

Only a critical alarm acts. The first time it takes the first action, the next time the next, and the last one from
then on.
""",
        *_grid(("alarm", "first", "then", "last"), ladders),
        f"""
{agreement}
- A `pass_k_loss` that took more than {FALLEN:g} of pass@1 with it is answered as `pass_rate_fall`.
- Where entropy is {DISSOLVED:g} times that of the start, `pass_k_loss`, `pass_rate_gap` and `pass_rate_fall` first
  take: {DISSOLVING[0].name}.
- At most {MAX_ROLLBACKS} roll-backs a campaign; the next one is a stop. An alarm without a row here only informs.

## Knobs

What an action makes of a setting stays within these bounds, and a setting that starts beyond them is never pushed back.
`step` knobs act at once, `stage` knobs when the next stage starts. A knob that has no effect under the current settings
is left alone, and the row of the action says so.
""",
        *_grid(("knob", "bounds", "acts at", "no effect where"), knobs),
    ]
    return "\n".join(parts) + "\n"


def _detector(found: Detector) -> tuple[str, ...]:
    summary = re.split(r"\n\s*\n", (found.measure.__doc__ or "").strip())[0]
    levels = f"{found.warn:g}", f"{found.critical:g}"
    return (f"`{found.name}`", " ".join(summary.split()), *levels, str(found.persist), "yes" if found.evidence else "")


def _ladder(rules: Sequence[Rule]) -> tuple[str, str, str]:
    names = [rule.name for rule in rules]
    return (names[0], names[1] if len(names) > 2 else "", names[-1] if len(names) > 1 else "")


def _grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [tuple(head), tuple("---" for _ in head), *map(tuple, rows)]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


PAGES = {"schema.md": schema, "queries.md": queries, "actions.md": actions}


def main() -> int:
    """0, or 1 when `--check` finds a page that is not what would be written."""
    old = [name for name, page in PAGES.items() if not _same(DOCS / name, page())]
    if "--check" in sys.argv[1:]:
        print("\n".join(f"docs/{name} is old; run: python scripts/reference.py" for name in old) or "all pages current")
        return 1 if old else 0
    for name in old:
        (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
        print(f"docs/{name}")
    return 0


def _same(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text("utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
