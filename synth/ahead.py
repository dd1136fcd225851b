"""Evidence for a request's tasks ahead of their admission: the part of synthesis that other workers can do."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import NamedTuple

from synth.bench import SandboxBench
from synth.evidence import Examined, Subject, examine
from synth.family import FAMILIES
from synth.graders import Judge
from synth.proposals import Request, generator_of, proposals


class Ahead(NamedTuple):
    """What the checks said of each task by its id, and the CPU time that one of them took on average."""

    found: Mapping[str, Examined]
    cost: float


def examine_ahead(request: Request, judge: Judge) -> Ahead:
    """Evidence for every different prompt of a request; the same on any machine, in any order of requests."""
    first: dict[str, Subject] = {}
    for proposal in proposals(request):
        if proposal.subject is not None:
            first.setdefault(proposal.subject.task.prompt, proposal.subject)
    generator, bench = generator_of(FAMILIES.get(request.family)), SandboxBench(judge)
    subjects, start = list(first.values()), time.process_time()
    examined = examine(subjects, bench, generator=generator.name, lineage=generator.lineage)
    cost = (time.process_time() - start + bench.cpu_s) / max(1, len(subjects))
    found = {subject.task.task_id: word for subject, word in zip(subjects, examined, strict=True)}
    return Ahead(found, cost)
