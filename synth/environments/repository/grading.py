"""Grading: the submitted patch is applied to a pristine copy of what was given, and hidden tests call the result.

Covered: nothing that was done to the workspace counts, for only the patch is looked at; edits of tests, of the
machinery around them and outside the task's scope void it. Not covered: what the functions under test do inside their
own package, which is theirs to decide as long as their answers are right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from synth.environments.repository.loading import ENTRY, program
from synth.environments.repository.patches import PatchError, applied
from synth.environments.tools import ToolError
from synth.graders.judged import Judged, judged
from synth.graders.programs import tests_of
from synth.sandbox import Job, Limits, Pool, Result
from warehouse.records import Judgement, Task

LIMITS = Limits(cpu_s=1.0)
PROTECTED = ("tests/*", "conftest.py", "*/conftest.py", "pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml",
             "sitecustomize.py", "usercustomize.py", "*.pth", ".git/*", ".github/*")  # fmt: skip
_FENCE = re.compile(r"^```[ \t]*(?:diff|patch)?[ \t]*\r?\n(.*?)^```", re.DOTALL | re.MULTILINE)


def files_of(task: Task) -> dict[str, str]:
    """The files that a task gives, by path."""
    found: dict[str, str] = json.loads(task.scaffold or "{}")
    return found


def patch_of(completion: str) -> str:
    """The patch in what a policy handed in: its last fenced block, or all of it."""
    blocks: list[str] = _FENCE.findall(completion)
    return blocks[-1] if blocks else completion


def out_of_bounds(task: Task, before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, str] | None:
    """The cheat and the path of the first changed file that was not the policy's to change."""
    scope = _patterns(task, "scope")
    protected = (*PROTECTED, *_patterns(task, "protected"))
    for path in sorted(path for path in {*before, *after} if before.get(path) != after.get(path)):
        if any(fnmatchcase(path, pattern) for pattern in protected):
            return "protected", path
        if not any(fnmatchcase(path, pattern) for pattern in scope):
            return "out_of_scope", path
    return None


def _patterns(task: Task, name: str) -> tuple[str, ...]:
    listed: object = task.params.get(name, ())
    return tuple(map(str, listed)) if isinstance(listed, list | tuple) else ()


def program_of_patch(task: Task, patch: str) -> str | Judged:
    """The program that hidden tests call, or the word on a patch that needs no running."""
    before = files_of(task)
    try:
        after = applied(before, patch_of(patch))
    except PatchError as error:
        return judged(Judgement.NO_ANSWER, f"patch: {error}")
    except ToolError as error:
        return Judged(Judgement.CHEAT, 0.0, {"verifier": 0.0, "compliance": 0.0}, ("path",), f"path: {error}")
    if (cheat := out_of_bounds(task, before, after)) is not None:
        detail = f"{cheat[0]}: {cheat[1]}"
        return Judged(Judgement.CHEAT, 0.0, {"verifier": 0.0, "compliance": 0.0}, (cheat[0],), detail)
    return program(after, [str(task.params["package"])])


def job_of(task: Task, source: str, *, replays: int = 0, limits: Limits = LIMITS) -> Job:
    """The execution that decides: every visible and hidden test, by value."""
    return Job(source, tests_of(task.tests, task.hidden_tests), ENTRY, replays=replays, limits=limits)


def grade(task: Task, patch: str, pool: Pool) -> Judged:
    """The word on a patch: CHEAT out of bounds, NO_ANSWER when it does not apply, else what the tests say."""
    return grade_all([(task, patch)], pool)[0]


def grade_all(asked: Sequence[tuple[Task, str]], pool: Pool) -> list[Judged]:
    """As `grade`, on all workers of the pool."""
    ready = [program_of_patch(task, patch) for task, patch in asked]
    jobs = {
        i: job_of(task, one)
        for i, (one, (task, _)) in enumerate(zip(ready, asked, strict=True))
        if isinstance(one, str)
    }
    results = dict(zip(jobs, pool.verify_many(jobs.values()), strict=True))
    return [one if isinstance(one, Judged) else _word(results[i]) for i, one in enumerate(ready)]


def _word(result: Result) -> Judged:
    word = judged(result.verdict, result.model_safe_detail)
    if word.reward is None or not result.total:
        return word
    parts = {**word.parts, "tests_passed": result.passed / result.total, "compliance": 1.0}
    return Judged(word.judgement, word.reward, parts, (), word.detail)
