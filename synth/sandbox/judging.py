"""From one program and its tests to what was seen of each test, on one zygote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from synth.sandbox import compare
from synth.sandbox.case import Test
from synth.sandbox.casefile import packed
from synth.sandbox.examine import examine
from synth.sandbox.execution import Ended, Execution, Reply
from synth.sandbox.farside import FarSide
from synth.sandbox.inside.frames import Malformed
from synth.sandbox.inside.tree import Tree
from synth.sandbox.limits import Limits
from warehouse.records import Judgement

LITTLE = 0.25
"""A wall timeout below this share of the CPU limit may be the machine's fault and is tried once more."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one test came to; `answer` is the tree that was compared, if there was one."""

    verdict: Judgement
    note: str = ""
    answer: Tree = None
    raised: str | None = None


@dataclass(slots=True)
class Sight:
    """All that was seen of one program: one entry for each test up to the end of the process, and the CPU used."""

    seen: list[Seen] = field(default_factory=list)
    cpu_s: float = 0.0
    over: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A program, what it is asked, and how."""

    program: str
    tests: tuple[Test, ...]
    entry: str
    fresh: bool
    limits: Limits
    judge: bool = True

    def name(self, test: Test) -> str:
        """What the test calls."""
        return test.entry or self.entry


def look(far: FarSide, question: Question, seed: int) -> Sight:
    """Runs every test of the question; raises `WorkerLost` when the zygote fails, which is not the program's doing."""
    sight = Sight()
    for group in _groups(question):
        _retried(far, question, group, seed, sight)
        if sight.over:
            break
    return sight


def _groups(question: Question) -> list[tuple[Test, ...]]:
    """Tests that share a process: neighbours that call, unless each call is to be fresh."""
    groups: list[tuple[Test, ...]] = []
    for test in question.tests:
        alone = question.fresh or test.stdin is not None or test.check is not None
        shares = groups and groups[-1][0].stdin is None and groups[-1][0].check is None
        if alone or not shares:
            groups.append((test,))
        else:
            groups[-1] = (*groups[-1], test)
    return groups


def _retried(far: FarSide, question: Question, group: tuple[Test, ...], seed: int, sight: Sight) -> None:
    for attempt in (1, 2):
        part = Sight()
        _group(far, question, group, seed, part)
        waited = part.seen[-1].verdict is Judgement.TIMEOUT_WALL
        sight.cpu_s += part.cpu_s
        if not waited or part.cpu_s > LITTLE * question.limits.cpu_s or attempt == 2:
            sight.seen += part.seen
            sight.over = part.over
            return


def _group(far: FarSide, question: Question, group: tuple[Test, ...], seed: int, sight: Sight) -> None:
    try:
        if group[0].stdin is not None:
            sight.seen.append(_script(far, question, group[0], seed, sight))
        elif group[0].check is not None:
            verdict, note, cpu_s = examine(far, question.program, group[0], question.entry, question.limits, seed)
            sight.seen.append(Seen(verdict, note))
            sight.cpu_s += cpu_s
        elif question.fresh and group[0].through:
            sight.seen.append(_relay(far, question, group[0], seed, sight))
        else:
            _calls(far, question, group, seed, sight)
    except Ended as ended:
        sight.seen.append(Seen(ended.verdict, ended.note))
        sight.cpu_s += ended.report.cpu_s
        sight.over = not question.fresh


def _calls(far: FarSide, question: Question, group: Sequence[Test], seed: int, sight: Sight) -> None:
    seen: list[Seen] = []
    with Execution(far, question.limits, seed) as execution:
        failed = _load(execution, question, group)
        try:
            if failed is not None:
                sight.seen.append(failed)
                sight.over = True
            else:
                for test in group:
                    seen.append(_decide(question, test, _call(execution, question, test)))
                    if seen[-1].verdict is Judgement.MEMORY:
                        sight.over = True
                        break
            report = execution.finish()
        except Ended:
            sight.seen += seen[: len(group) - 1]
            raise
    sight.seen += seen
    sight.cpu_s += report.cpu_s


def _load(execution: Execution, question: Question, group: Sequence[Test]) -> Seen | None:
    entries = sorted({name for test in group for name in (test.through or (question.name(test),))})
    reply = execution.ask({"do": "load", "source": question.program, "entries": entries})
    if reply.verdict is Judgement.PASS:
        return None
    if reply.verdict is Judgement.MEMORY:
        return Seen(reply.verdict, f"on loading: {reply.note}")
    return Seen(Judgement.LOAD_ERROR, reply.note, raised=reply.raised)


def _call(execution: Execution, question: Question, test: Test) -> Reply:
    args, kwargs = packed(list(test.args), "args"), packed(dict(test.kwargs), "kwargs")
    if test.methods:
        steps = [[name, packed(list(arguments), "args")] for name, arguments in test.methods]
        request = {"do": "methods", "entry": question.name(test), "args": args, "kwargs": kwargs, "methods": steps}
        return execution.ask(request)
    reply = Reply()
    entries = test.through or (question.name(test),)
    for number, entry in enumerate(entries, 1):
        truth = question.judge and test.equality == "truth" and number == len(entries)
        how = "truth" if truth else "value"
        reply = execution.ask({"do": "call", "as": how, "entry": entry, "args": args, "kwargs": kwargs})
        if reply.verdict is not Judgement.PASS:
            break
        args, kwargs = [reply.tree], {"d": []}
    return reply


def _relay(far: FarSide, question: Question, test: Test, seed: int, sight: Sight) -> Seen:
    """Each function of `through` in a process of its own: nothing is remembered between them."""
    stage = replace(test, through=(), expected=None)
    args, kwargs = packed(list(test.args), "args"), packed(dict(test.kwargs), "kwargs")
    reply = Reply()
    for entry in test.through:
        with Execution(far, question.limits, seed) as execution:
            failed = _load(execution, question, [replace(stage, entry=entry)])
            if failed is not None:
                return failed
            reply = execution.ask({"do": "call", "as": "value", "entry": entry, "args": args, "kwargs": kwargs})
            sight.cpu_s += execution.finish().cpu_s
        if reply.verdict is not Judgement.PASS:
            break
        try:
            compare.canonical(reply.tree)
        except Malformed as error:
            return Seen(Judgement.VIOLATION, str(error))
        args, kwargs = [reply.tree], {"d": []}
    return _decide(question, test, reply)


def _script(far: FarSide, question: Question, test: Test, seed: int, sight: Sight) -> Seen:
    stdin = test.stdin.encode("utf-8", "surrogatepass") if isinstance(test.stdin, str) else test.stdin
    limits = replace(question.limits, output_bytes=2 * question.limits.output_bytes + 1024)
    request: dict[str, Any] = {"do": "script", "source": question.program, "stdin": packed(stdin, "stdin")}
    with Execution(far, limits, seed, stdin=True) as execution:
        reply = execution.ask(request | {"output_bytes": question.limits.output_bytes})
        sight.cpu_s += execution.finish().cpu_s
    if reply.verdict is not Judgement.PASS:
        syntax = reply.raised in ("SyntaxError", "IndentationError", "TabError")
        return Seen(Judgement.LOAD_ERROR if syntax else reply.verdict, reply.note, raised=reply.raised)
    tree = reply.tree
    if type(tree) is not dict or set(tree) != {"b"}:
        return Seen(Judgement.VIOLATION, "output of a script is not bytes")
    try:
        compare.canonical(tree)
    except Malformed as error:
        return Seen(Judgement.VIOLATION, str(error))
    right = not question.judge or compare.stdout_matches(test, bytes.fromhex(tree["b"]))
    return Seen(Judgement.PASS if right else Judgement.WRONG, "", tree)


def _decide(question: Question, test: Test, reply: Reply) -> Seen:
    if reply.verdict is not Judgement.PASS:
        return Seen(reply.verdict, reply.note, raised=reply.raised)
    try:
        if question.judge:
            right = compare.matches(test, reply.tree)
        else:
            compare.canonical(reply.tree)
            right = True
    except Malformed as error:
        return Seen(Judgement.VIOLATION, f"malformed answer: {error}")
    except RecursionError:
        return Seen(Judgement.OUTPUT_LIMIT, "answer is nested too deep")
    return Seen(Judgement.PASS if right else Judgement.WRONG, "", reply.tree)
