"""Repair tasks: drafts whose faults show in a visible test become proposals; everything else is a reason."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice

from synth.environments.makers import MAKERS, Maker
from synth.environments.repository.checks import checks
from synth.environments.repository.draft import Draft, draft
from synth.environments.repository.issues import Symptom, issue
from synth.environments.repository.loading import ENTRY, program
from synth.environments.repository.patches import difference
from synth.evidence import Subject
from synth.family import Item
from synth.proposals import Proposal, Request
from synth.sandbox import Limits, Output, Pool, Test
from synth.seeds import stream
from synth.tasks import task_of
from warehouse.records import Domain, JsonValue, Task

NAME, VERSION = "repository", 1
LEVELS = range(1, 6)
FAULT_LIMITS = Limits(cpu_s=0.3)
"""A fault may make a loop endless."""
TOGETHER = 32
NOT_SEEN = "fault: no visible test shows it"
NOT_LOADED = "fault: the package cannot be imported"


def proposals(request: Request, pool: Pool) -> Iterator[Proposal]:
    """The attempts of one request; drafts are run on the pool's workers."""
    places = iter(range(request.start, request.start + request.n))
    with ThreadPoolExecutor(4, thread_name_prefix="drafts") as threads:
        while group := list(islice(places, TOGETHER)):
            yield from threads.map(lambda index: _proposal(request, index, pool), group)


def _proposal(request: Request, index: int, pool: Pool) -> Proposal:
    rng = stream(NAME, VERSION, request.level, request.seed, index)
    made = draft(rng, request.level)
    return proposal_of(
        made, rng, pool, family=NAME, level=request.level, version=VERSION, seed=request.seed, index=index
    )


def proposal_of(
    made: Draft,
    rng: random.Random,
    pool: Pool,
    *,
    family: str,
    level: int,
    version: int,
    seed: int,
    index: int,
    parent: Task | None = None,
) -> Proposal:
    """The attempt that a draft is, with an issue about a visible call that fails; `parent` gives source and split."""
    symptoms, reason = _symptoms(made, pool)
    if reason is not None:
        return Proposal(seed, index, level, None, reason)
    prompt = issue(rng, made, symptoms, level)
    item = Item(
        prompt=prompt,
        answer_kind="patch",
        reference=difference(made.broken, made.whole),
        entry=ENTRY,
        scaffold=json.dumps(dict(made.broken), sort_keys=True),
        tests=made.tests,
        hidden_tests=made.hidden,
        params=_params(made, symptoms),
    )
    params: dict[str, JsonValue] = {"version": version, "seed": seed, "index": index, **item.params}
    task = task_of(item, domain=Domain.AGENT, family=family, level=level, params=params)
    if parent is not None:
        task = replace(task, source=parent.source, parents=(parent.task_id,), split=parent.split)
    return Proposal(seed, index, level, Subject(task, item))


def _symptoms(made: Draft, pool: Pool) -> tuple[list[Symptom], str | None]:
    """Visible calls that go wrong in the broken package, or why it makes no task."""
    calls = [replace(test, expected=None) for test in made.tests]
    ran = pool.run(program(made.broken, [made.package]), calls, entry=ENTRY, limits=FAULT_LIMITS)
    if not ran.outputs or all(_is_import(output) for output in ran.outputs):
        return [], NOT_LOADED
    found = [
        Symptom(test, (output.message or output.raised) if output.raised else _said(output.value), bool(output.raised))
        for test, output in zip(made.tests, ran.outputs, strict=False)
        if _wrong(test, output)
    ]
    return found, None if found else NOT_SEEN


def _said(value: object) -> str:
    """A value as the issue shows it; sets in one order, whatever the hash seed."""
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(_said, value)))}}}"
    try:
        return repr(value)
    except ValueError:
        return "a number of more than 4,300 digits"


def _is_import(output: Output) -> bool:
    return output.raised in ("ImportError", "ModuleNotFoundError", "SyntaxError", "NameError")


def _wrong(test: Test, output: Output) -> bool:
    return output.raised is not None or type(output.value) is not type(test.expected) or output.value != test.expected


def _params(made: Draft, symptoms: Sequence[Symptom]) -> dict[str, JsonValue]:
    """What grading needs, and how hard the task is: size, faults, imports from what fails to what is wrong, noise."""
    failing = sorted({str(symptom.test.args[0]) for symptom in symptoms})
    return {
        "environment": NAME,
        "package": made.package,
        "scope": [f"{made.package}/*.py", "README.md"],
        "difficulty": {
            "domain": made.domain,
            "n_files": len(made.whole),
            "n_lines": sum(text.count("\n") for text in made.whole.values()),
            "n_faults": len(made.faults),
            "kinds": sorted(fault.kind for fault in made.faults),
            "distance": max(map(made.distance, failing)),
            "n_beside": made.n_beside(failing),
            "n_failing": len(symptoms),
            "n_visible": len(made.tests),
        },
    }


def regenerated(task: Task, pool: Pool) -> Task:
    """The same task, made again from its recipe."""
    seed, index = int(str(task.params["seed"])), int(str(task.params["index"]))
    found = next(proposals(Request(NAME, task.level, 1, seed, index), pool)).subject
    return found.task if found is not None else task


MAKERS.add(NAME, Maker(NAME, VERSION, LEVELS, proposals, checks), file=__file__)
