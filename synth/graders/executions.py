"""Code completions judged in the sandbox, under a CPU limit relative to what the task's reference takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from synth.graders.judged import Judged, judged
from synth.graders.programs import program_of, tests_of
from synth.sandbox import Job, Limits, Pool, Result
from warehouse.errors import UserError
from warehouse.records import Judgement, Task


class Executions:
    """Judges programs on one pool.

    A completion of a task with a reference first gets the least limit, `Limits.relative_to(0)`. Where that was not
    enough the reference is timed, once a task, and the completion gets the limit that follows from its time.
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._least = pool.limits.relative_to(0.0)
        self._reference_cpu_s: dict[str, float] = {}

    def judged(self, asked: Sequence[tuple[Task, str]]) -> list[Judged]:
        """The word on each completion of the task beside it; a task that cannot be run is undecided."""
        try:
            return [_coded(result) for result in self._results(asked)]
        except UserError as error:
            if len(asked) == 1:
                return [judged(Judgement.UNDECIDED, str(error))]
        return [word for one in asked for word in self.judged([one])]

    def _results(self, asked: Sequence[tuple[Task, str]]) -> list[Result]:
        jobs = [_job(task, completion, self._least if task.reference else None) for task, completion in asked]
        results = self.pool.verify_many(jobs)
        late = [i for i, result in enumerate(results) if jobs[i].limits and result.verdict is Judgement.TIMEOUT_CPU]
        if late:
            self._time_references([asked[i][0] for i in late])
        wider = {i: self.pool.limits.relative_to(self._reference_cpu_s[asked[i][0].task_id]) for i in late}
        again = [i for i, limits in wider.items() if limits.cpu_s > self._least.cpu_s]
        second = self.pool.verify_many([replace(jobs[i], limits=wider[i]) for i in again])
        for i, result in zip(again, second, strict=True):
            results[i] = result
        return results

    def _time_references(self, tasks: Sequence[Task]) -> None:
        new = {task.task_id: task for task in tasks if task.task_id not in self._reference_cpu_s}
        timed = self.pool.verify_many([_job(task, task.reference or "", None) for task in new.values()])
        self._reference_cpu_s |= {task_id: result.cpu_s for task_id, result in zip(new, timed, strict=True)}


def _job(task: Task, completion: str, limits: Limits | None) -> Job:
    fresh = task.params.get("isolation") == "fresh"
    tests = tests_of(task.tests, task.hidden_tests)
    return Job(program_of(task, completion), tests, task.entry or "", "fresh" if fresh else "shared", limits=limits)


def _coded(result: Result) -> Judged:
    word = judged(result.verdict, result.model_safe_detail)
    if word.reward is None or not result.total:
        return word
    parts = {**word.parts, "tests_passed": result.passed / result.total}
    return Judged(word.judgement, word.reward, parts, (), word.detail)
