"""Tests that are programs: an examiner asserts in one process, the candidate answers in another.

Covered: the examiner sees plain copies of answers, so that no object, patch or exit of the candidate reaches
its assertions, and the candidate never shares memory, sockets or signals with it. Not covered: a check that
accepts wrong answers.
"""

from __future__ import annotations

from synth.sandbox import compare
from synth.sandbox.case import Test
from synth.sandbox.execution import Ended, Execution
from synth.sandbox.farside import FarSide
from synth.sandbox.inside.frames import Malformed
from synth.sandbox.limits import Limits
from warehouse.errors import UserError
from warehouse.records import Judgement

Verdict = tuple[Judgement, str, float]


def examine(far: FarSide, program: str, test: Test, entry: str, limits: Limits, seed: int) -> Verdict:
    """The verdict of the test's check program, a note, and the candidate's CPU seconds.

    Raises `UserError` when the check fails before it has called the candidate, `Ended` when the candidate's
    process ended.
    """
    entry = test.entry or entry
    with Execution(far, limits, seed) as candidate, Execution(far, limits, seed) as examiner:
        loaded = candidate.ask({"do": "load", "source": program, "entries": [entry]})
        if loaded.verdict is not Judgement.PASS:
            memory = loaded.verdict is Judgement.MEMORY
            return Judgement.MEMORY if memory else Judgement.LOAD_ERROR, loaded.note, candidate.finish().cpu_s
        try:
            verdict, note = _relay(examiner, candidate, test, entry)
        except _ExaminerEnded as ended:
            raise UserError(f"the check program did not finish: {ended}; give it more time or fewer cases") from None
        if verdict is Judgement.PASS:
            examiner.finish()
        return verdict, note, candidate.finish().cpu_s


class _ExaminerEnded(Exception):
    pass


def _relay(examiner: Execution, candidate: Execution, test: Test, entry: str) -> tuple[Judgement, str]:
    asked = 0
    failure: tuple[Judgement, str] | None = None
    try:
        nonce = examiner.send({"do": "check", "source": test.check, "entries": [entry]})
        message = examiner.message(nonce)
    except Ended as ended:
        raise _ExaminerEnded(str(ended)) from None
    while "ask" in message:
        asked += 1
        call = {"do": "call", "as": "items", "entry": message["ask"]}
        reply = candidate.ask(call | {"args": _items(message["args"]), "kwargs": message["kwargs"]})
        answer: dict[str, object] = {"v": reply.tree}
        if reply.verdict is not Judgement.PASS:
            failure = failure or (reply.verdict, reply.note)
            answer = {"x": "CandidateFailed"}
        else:
            try:
                compare.canonical(reply.tree)
            except (Malformed, RecursionError) as error:
                return Judgement.VIOLATION, f"malformed answer: {error}"
        try:
            examiner.send(answer, nonce)
            message = examiner.message(nonce)
        except Ended as ended:
            raise _ExaminerEnded(str(ended)) from None
    if "v" in message:
        return Judgement.PASS, ""
    if failure is not None:
        return failure
    said = f"{message.get('x')}: {message.get('m')}"
    if not asked:
        raise UserError(f"the check program fails by itself: {said}; correct it")
    return Judgement.WRONG, f"check failed at call {asked}: {said}"


def _items(args: object) -> object:
    """The arguments of a call, packed as a tuple by the examiner, as a list."""
    return args["t"] if type(args) is dict and set(args) == {"t"} else args
