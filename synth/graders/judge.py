"""The judge of math and code completions: one call for a batch, from any thread."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING

from synth.graders.judged import Judged, judged
from synth.graders.rubrics import NO_JUDGE, RubricJudge
from synth.math import Equality, check, extract, prepare_gold
from synth.math.extraction import AnswerFormat
from warehouse.errors import UserError
from warehouse.records import Domain, Judgement, Task

if TYPE_CHECKING:
    from synth.graders.executions import Executions
    from synth.sandbox import Limits, Pool

MIN_THREADED, MATH_THREADS = 4, 4
"""Completions from which math is judged in threads, and how many."""

_PASS, _WRONG = judged(Judgement.PASS), judged(Judgement.WRONG)
_NO_ANSWER, _TRUNCATED = judged(Judgement.NO_ANSWER), judged(Judgement.TRUNCATED, "truncated")
_BY_EQUALITY = {
    Equality.EQUAL: _PASS,
    Equality.NOT_EQUAL: _WRONG,
    Equality.UNDECIDED: judged(Judgement.UNDECIDED, "equality could not be decided"),
    Equality.GOLD_INVALID: judged(Judgement.UNDECIDED, "the gold is invalid"),
}


class Judge:
    """Judges completions of math tasks by `synth.math`, code tasks in the sandbox, agent tasks by their environment.

    Rubric tasks are judged by the model in `rubrics`, and refused without one.

    A context manager; the sandbox starts with the first code task. Safe to use from several threads.
    Math tasks need no sandbox and no worker.
    """

    def __init__(self, *, workers: int = 2, limits: Limits | None = None, rubrics: RubricJudge | None = None) -> None:
        self._workers, self._limits, self.rubrics = workers, limits, rubrics
        self._executions: Executions | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Judge:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stops the sandbox when it was started; the judge can be used again."""
        with self._lock:
            executions, self._executions = self._executions, None
        if executions is not None:
            executions.pool.close()

    def judge(
        self, tasks: Sequence[Task], completions: Sequence[str], *, truncated: Sequence[bool] | None = None
    ) -> list[Judged]:
        """The judge's word on each completion of the task at its place.

        `truncated[i]` says that generation was cut by its length. Raises `UserError` when the lengths differ.
        """
        cut = truncated if truncated is not None else [False] * len(tasks)
        if not len(tasks) == len(completions) == len(cut):
            raise UserError(
                f"{len(tasks)} tasks, {len(completions)} completions and {len(cut)} truncated flags; give one of each"
            )
        words: list[Judged] = [_NO_ANSWER] * len(tasks)
        programs: list[int] = []
        submissions: list[int] = []
        written: list[int] = []
        longer: dict[tuple[str, str], list[int]] = {}
        for i, task in enumerate(tasks):
            if task.domain is Domain.CODE:
                programs.append(i)
            elif task.domain is Domain.AGENT:
                submissions.append(i)
            elif task.domain is Domain.RUBRIC:
                written.append(i)
            elif cut[i] or task.params.get("answer_format") == "bare":
                words[i] = judge_math(task, completions[i], truncated=cut[i])
            else:
                longer.setdefault((task.task_id, completions[i]), []).append(i)
        for places, word in zip(longer.values(), _math_words(tasks, completions, longer.values()), strict=True):
            for i in places:
                words[i] = word
        if programs:
            self._judge_programs(programs, tasks, completions, cut, words)
        for i, word in zip(written, self._by_rubric([(tasks[i], completions[i]) for i in written]), strict=True):
            words[i] = _TRUNCATED if cut[i] else word
        for i in submissions:
            words[i] = _TRUNCATED if cut[i] else self._graded(tasks[i], completions[i])
        return words

    def _by_rubric(self, asked: Sequence[tuple[Task, str]]) -> list[Judged]:
        """The words of the model that judges rubric tasks."""
        if not asked:
            return []
        if self.rubrics is None:
            raise UserError(NO_JUDGE.format(task=asked[0][0].task_id[:8]))
        return self.rubrics.judged(asked)

    def _graded(self, task: Task, submission: str) -> Judged:
        """The word of the task's environment on what was handed in."""
        from synth.environments.environment import ENVIRONMENTS

        return ENVIRONMENTS.get(str(task.params.get("environment"))).grade(task, submission, self.pool)

    def _judge_programs(
        self,
        places: Sequence[int],
        tasks: Sequence[Task],
        completions: Sequence[str],
        cut: Sequence[bool],
        words: list[Judged],
    ) -> None:
        """Writes the words on code completions; one program of one task is run once."""
        jobs: dict[tuple[str, str], tuple[Task, str]] = {}
        for i in places:
            if not cut[i]:
                jobs.setdefault((tasks[i].task_id, completions[i]), (tasks[i], completions[i]))
        found = dict(zip(jobs, self._sandbox().judged(list(jobs.values())), strict=True))
        for i in places:
            words[i] = _TRUNCATED if cut[i] else found[tasks[i].task_id, completions[i]]

    @property
    def pool(self) -> Pool:
        """The sandbox behind the judge; it starts here when it has not yet."""
        return self._sandbox().pool

    def _sandbox(self) -> Executions:
        from synth.graders.executions import Executions
        from synth.sandbox import Pool

        with self._lock:
            if self._executions is None:
                self._executions = Executions(Pool(self._workers, self._limits))
            return self._executions


def judge_math(task: Task, completion: str, *, truncated: bool = False) -> Judged:
    """The word on one math completion, read by the task's `answer_format` and compared under its `answer_kind`."""
    if truncated:
        return _TRUNCATED
    format = task.params.get("answer_format", "boxed")
    if format == "bare" and completion == task.gold:
        return _PASS
    extracted = extract(completion, format=_format(format))
    if extracted.answer is None:
        if extracted.reason == "truncated":
            return _TRUNCATED
        return _NO_ANSWER if extracted.reason == "no_answer" else judged(Judgement.NO_ANSWER, extracted.reason or "")
    if format == "bare" and task.answer_kind == "text":
        return _PASS if extracted.answer == (task.gold or "").strip() else _WRONG
    tolerance = task.params.get("tolerance")
    gold = prepare_gold(task.gold or "", task.answer_kind, tolerance=None if tolerance is None else str(tolerance))
    return _BY_EQUALITY[check(gold, extracted.answer)]


def _math_words(tasks: Sequence[Task], completions: Sequence[str], places: Iterable[Sequence[int]]) -> list[Judged]:
    """One word for each list of places with one task and one completion; slow comparisons run side by side."""
    firsts = [same[0] for same in places]
    if len(firsts) < MIN_THREADED:
        return [judge_math(tasks[i], completions[i]) for i in firsts]
    with ThreadPoolExecutor(MATH_THREADS, thread_name_prefix="math") as threads:
        return list(threads.map(lambda i: judge_math(tasks[i], completions[i]), firsts))


def _format(name: object) -> AnswerFormat:
    if name == "bare":
        return "bare"
    if name == "gsm8k":
        return "gsm8k"
    if name == "last_number":
        return "last_number"
    if name == "boxed":
        return "boxed"
    raise UserError(f"answer_format is {name!r}, must be bare, boxed, gsm8k or last_number; see: gradatim tables tasks")
