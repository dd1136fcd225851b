"""Repositories of one module from imported programs: a reference with a fault in it, its tests, and a package around.

What must come out is what the reference returns, on nearby inputs and on the corpus's own tests. The evidence is that
of any repair task.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from synth.environments.repository.draft import Draft, written
from synth.environments.repository.faults import inject
from synth.environments.repository.making import proposal_of
from synth.graders import Judge
from synth.grown.known_programs import Known, is_shown, known_programs
from synth.grown.program_tasks import LINEAGE
from synth.proposals import Generator, Proposal
from synth.sandbox import Test, load_tests
from synth.seeds import stream
from warehouse.records import Task

VERSION = 1
GENERATOR = Generator("single_file", "corpus_grown", str(VERSION), LINEAGE)
PACKAGE, MODULE = "work", "core"
N_VISIBLE = 3


def repositories(parents: Sequence[Task], judge: Judge, *, seed: int) -> Iterator[Proposal]:
    """One attempt for each parent; one of which nothing is known, or which takes no fault, gives the reason."""
    for place, (parent, known) in enumerate(zip(parents, known_programs(parents, judge, seed=seed), strict=True)):
        if isinstance(known, str):
            yield Proposal(seed, place, parent.level, None, known)
            continue
        rng = stream(GENERATOR.name, VERSION, parent.task_id, seed)
        made = _draft(known, rng)
        if not made.faults:
            yield Proposal(seed, place, parent.level, None, "fault: none can be made in the program")
            continue
        yield proposal_of(
            made, rng, judge.pool, family=GENERATOR.name, level=parent.level, version=VERSION, seed=seed, index=place,
            parent=parent,
        )  # fmt: skip


def _draft(known: Known, rng: random.Random) -> Draft:
    own = [test for test in load_tests(known.parent.hidden_tests or "[]") if is_shown(test)]
    calls = [
        Test(args=(f"{PACKAGE}.{MODULE}", known.entry, list(test.args)), expected=test.expected)
        for test in (*known.calls, *own)
    ]
    tests, hidden = tuple(calls[:N_VISIBLE]), tuple(calls[N_VISIBLE:])
    modules, faults = inject(rng, {MODULE: known.program}, 1)
    around = {
        f"{PACKAGE}/__init__.py": "",
        f"tests/test_{PACKAGE}.py": written(tests),
        "README.md": f"# {PACKAGE}\n\n- `{PACKAGE}/{MODULE}.py`: `{known.entry}`\n",
    }
    whole, broken = ({**around, f"{PACKAGE}/{MODULE}.py": text} for text in (known.program, modules[MODULE]))
    return Draft(GENERATOR.name, PACKAGE, whole, broken, faults, tests, hidden)
