"""One door to everything that grows tasks from imported ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from synth.environments.repository.checks import checks
from synth.evidence import Check
from synth.graders import Judge
from synth.grown import gsm8k_variants, program_tasks, single_files, stronger_tests
from synth.proposals import Generator, Proposal
from warehouse.errors import unknown_name
from warehouse.records import Task

KINDS = (program_tasks.PREDICT, program_tasks.FIND, program_tasks.REPAIR, program_tasks.WRITE)
PROGRAMS = tuple(kind.name for kind in KINDS)
NAMES = (gsm8k_variants.GENERATOR.name, *PROGRAMS, stronger_tests.GENERATOR.name, single_files.GENERATOR.name)
"""What can be grown: variants of word problems from GSM8K tasks, the others from imported code tasks."""


def grow(
    name: str, parents: Sequence[Task], judge: Judge, *, n: int = 4, seed: int = 0
) -> tuple[Generator, Iterable[Proposal]]:
    """The generator `name` and its attempts over `parents`, to be handed to `synth.pipeline.admit`.

    `n` is the number of variants of a word problem. Raises `UserError` on an unknown name.
    """
    if name == gsm8k_variants.GENERATOR.name:
        return gsm8k_variants.GENERATOR, gsm8k_variants.variants(parents, n=n, seed=seed)
    if name == stronger_tests.GENERATOR.name:
        return stronger_tests.GENERATOR, stronger_tests.stronger(parents, judge, seed=seed)
    if name == single_files.GENERATOR.name:
        return single_files.GENERATOR, single_files.repositories(parents, judge, seed=seed)
    if name in PROGRAMS:
        made = program_tasks.program_tasks(parents, judge, seed=seed)
        return next((generator, rows) for generator, rows in made if generator.name == name)
    raise unknown_name("corpus-grown generator", name, NAMES, "gradatim synth --list")


def evidence(name: str, judge: Judge) -> Sequence[Check] | None:
    """The checks that admit what `name` grows, where they are not the registered ones."""
    return checks(judge.pool) if name == single_files.GENERATOR.name else None
