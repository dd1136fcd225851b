"""Imported code tasks whose tests were too weak, with more tests: what the reference returns near known inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synth.evidence import Subject
from synth.family import Item
from synth.graders import Judge
from synth.grown.known_programs import known_programs
from synth.proposals import Generator, Proposal
from synth.sandbox import load_tests
from synth.tasks import task_of
from warehouse.records import Domain, Task

VERSION = 1
GENERATOR = Generator("stronger_tests", "corpus_grown", str(VERSION), "corpus-programs")


def stronger(parents: Sequence[Task], judge: Judge, *, seed: int) -> Iterator[Proposal]:
    """One attempt for each code task in `parents`: the same prompt, with up to twelve more hidden tests."""
    for index, (parent, known) in enumerate(zip(parents, known_programs(parents, judge, seed=seed), strict=True)):
        if isinstance(known, str):
            yield Proposal(seed, index, parent.level, None, known)
            continue
        item = Item(
            prompt=parent.prompt,
            answer_kind=parent.answer_kind,
            reference=parent.reference or "",
            entry=parent.entry,
            scaffold=parent.scaffold,
            hidden_tests=(*load_tests(parent.hidden_tests or "[]"), *known.calls),
        )
        task = task_of(
            item,
            domain=Domain.CODE,
            family=parent.family,
            level=parent.level,
            params={**parent.params, "stronger": VERSION, "seed": seed},
            source=parent.source,
            parents=(parent.task_id,),
            split=parent.split,
        )
        yield Proposal(seed, index, parent.level, Subject(task, item))
