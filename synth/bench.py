"""The bench on which evidence checks execute: math in this process, programs in the sandbox, all in batches.

Programs that our own families wrote share an execution, each in a namespace of its own, because nobody who gains
from cheating wrote them; programs of any other origin have an execution each.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from synth.evidence.check import Output, Programs, is_plain
from synth.graders import Judge, program_of
from synth.graders.programs import tests_of
from synth.sandbox import Job, Limits, Result, Test
from warehouse.records import Domain, Judgement, Task

SHARED = 32
"""Most tasks in one shared execution."""

MUTANT_LIMITS = Limits(cpu_s=2.0)

HARNESS = """
import copy
import marshal

def fresh(call):
    try:
        data = marshal.dumps(call)
    except ValueError:
        return lambda: copy.deepcopy(call)
    return lambda: marshal.loads(data)

def run(sources, entry, calls):
    rows, calls = [], [fresh(call) for call in calls]
    for source in sources:
        space = {"__name__": "candidate"}
        try:
            exec(compile(source, "<candidate>", "exec"), space)
            function = space[entry]
        except BaseException as error:
            rows.append([("raised", type(error).__name__)] * len(calls))
            continue
        row = []
        for call in calls:
            args, kwargs = call()
            try:
                row.append(("value", function(*args, **kwargs)))
            except BaseException as error:
                row.append(("raised", type(error).__name__))
        rows.append(row)
    return rows
"""


class SandboxBench:
    """Executes for evidence checks with a judge's own sandbox; `cpu_s` adds up what the programs used there."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.cpu_s = 0.0

    def judge(
        self,
        tasks: Sequence[Task],
        completions: Sequence[str],
        *,
        trusted: bool = False,
        replays: int = 0,
        cpu_s: float | None = None,
    ) -> list[Judgement]:
        """The judge's word on each completion; with `replays`, `UNSTABLE` when runs on other seeds differ."""
        limits = Limits(cpu_s=cpu_s) if cpu_s is not None else None
        words = [Judgement.INFRA] * len(tasks)
        programs = [i for i, task in enumerate(tasks) if task.domain is Domain.CODE]
        others = [i for i, task in enumerate(tasks) if task.domain is not Domain.CODE]
        judged = self._judge.judge([tasks[i] for i in others], [completions[i] for i in others])
        for i, word in zip(others, judged, strict=True):
            words[i] = word.judgement
        if programs:
            jobs = [_job(tasks[i], completions[i], replays, limits) for i in programs]
            for i, judgement in zip(programs, self._verdicts(jobs, trusted), strict=True):
                words[i] = judgement
        return words

    def _verdicts(self, jobs: list[Job], trusted: bool) -> list[Judgement]:
        """One verdict a job; trusted jobs share executions, and are run alone where a shared one does not pass."""
        words = [Judgement.INFRA] * len(jobs)
        alone = list(range(len(jobs)))
        if trusted:
            groups = _groups([i for i in alone if all(is_plain(test) for test in jobs[i].tests)])
            shared = self._verified([_shared([jobs[i] for i in group]) for group in groups])
            for group, result in zip(groups, shared, strict=True):
                if result.verdict is Judgement.PASS:
                    for i in group:
                        words[i] = Judgement.PASS
            alone = [i for i in alone if words[i] is not Judgement.PASS]
        for i, result in zip(alone, self._verified([jobs[i] for i in alone]), strict=True):
            words[i] = result.verdict
        return words

    def _verified(self, jobs: list[Job]) -> list[Result]:
        results = self._judge.pool.verify_many(jobs)
        self.cpu_s += sum(result.cpu_s * (1 + job.replays) for job, result in zip(jobs, results, strict=True))
        return results

    def outputs(self, programs: Sequence[Programs], *, trusted: bool = False) -> list[list[list[Output]]]:
        """For each subject, what each of its programs returns for each call."""
        with ThreadPoolExecutor(4, thread_name_prefix="bench") as threads:
            if not trusted:
                return list(threads.map(self._one_by_one, programs))
            groups = _groups(list(range(len(programs))))
            found = threads.map(self._outputs, [[programs[i] for i in group] for group in groups])
            return [rows for group in found for rows in group]

    def _outputs(self, group: list[Programs]) -> list[list[list[Output]]]:
        calls = [_asked(one.sources, one.entry, one.calls) for one in group]
        ran = self._judge.pool.run(HARNESS, calls, entry="run", limits=MUTANT_LIMITS)
        self.cpu_s += ran.cpu_s
        answers: list[Any] = [output.value for output in ran.outputs]
        answers += [None] * (len(group) - len(answers))
        return [
            [[_output(cell) for cell in row] for row in answer] if answer is not None else self._one_by_one(one)
            for one, answer in zip(group, answers, strict=True)
        ]

    def _one_by_one(self, programs: Programs) -> list[list[Output]]:
        """Each program in an execution of its own, where none can answer for another or end it."""
        calls = [Test(args=call.args, kwargs=call.kwargs) for call in programs.calls]
        rows = []
        for source in programs.sources:
            ran = self._judge.pool.run(source, calls, entry=programs.entry, limits=MUTANT_LIMITS)
            self.cpu_s += ran.cpu_s
            found = [Output(output.value, output.raised) for output in ran.outputs]
            rows.append(found + [Output(None, str(ran.verdict))] * (len(calls) - len(found)))
        return rows


def _groups(places: list[int], size: int = SHARED) -> list[list[int]]:
    return [places[start : start + size] for start in range(0, len(places), size)]


def _job(task: Task, completion: str, replays: int, limits: Limits | None) -> Job:
    return Job(
        program_of(task, completion),
        tests_of(task.tests, task.hidden_tests),
        task.entry or "",
        replays=replays,
        limits=limits,
    )


def _asked(sources: Sequence[str], entry: str, tests: Sequence[Test]) -> Test:
    return Test(args=(list(sources), entry, [(test.args, dict(test.kwargs)) for test in tests]))


def _shared(jobs: list[Job]) -> Job:
    """One job that passes exactly when every one of `jobs` does."""
    tests = [
        replace(
            _asked([str(job.program)], job.entry, job.tests),
            expected=[[("value", test.expected) for test in job.tests]],
        )
        for job in jobs
    ]
    return Job(HARNESS, tests, "run", replays=jobs[0].replays)


def _output(cell: Any) -> Output:
    return Output(cell[1]) if cell[0] == "value" else Output(None, str(cell[1]))
