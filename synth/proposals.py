"""What generators hand to the pipeline: attempts to make a task, each with a task or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from synth.evidence import Subject
from synth.family import FAMILIES, Family
from synth.tasks import OWN_LINEAGE, make_item, to_task


@dataclass(frozen=True, slots=True)
class Generator:
    """Who makes tasks: `kind` is procedural, imported, corpus_grown, adapter or model."""

    name: str
    kind: str
    version: str
    lineage: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """One attempt: a task to examine, or the reason why none was made; `index` is its place in the request.

    `prompt_hash`, `n_tokens` and `cost` (in the engine's money) are a model generator's.
    """

    seed: int
    index: int
    level: int
    subject: Subject | None
    reason: str | None = None
    prompt_hash: str | None = None
    n_tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Request:
    """`n` attempts at one level of one family under one seed, from place `start` on."""

    family: str
    level: int
    n: int
    seed: int
    start: int = 0


def generator_of(family: Family) -> Generator:
    """The generator that a family of our own is."""
    return Generator(family.name, "procedural", str(family.version), OWN_LINEAGE)


def proposals(request: Request) -> Iterator[Proposal]:
    """The attempts of one request, in order. Raises `UserError` on an unknown family or level."""
    family = FAMILIES.get(request.family)
    for index in range(request.start, request.start + request.n):
        item = make_item(family, level=request.level, seed=request.seed, index=index)
        task = to_task(family, item, level=request.level, seed=request.seed, index=index)
        yield Proposal(request.seed, index, request.level, Subject(task, item, family))
