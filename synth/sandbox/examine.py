"""Tests that are programs: an examiner asserts in one process, the candidate answers in another.

Covered: the examiner sees plain copies of answers, so that no object, patch or exit of the candidate reaches
its assertions, and the candidate never shares memory, sockets or signals with it. Not covered: a check that
accepts wrong answers, and one that a right answer drives over its limits.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

from synth.sandbox import compare
from synth.sandbox.case import Test
from synth.sandbox.execution import Ended, Execution
from synth.sandbox.farside import FarSide
from synth.sandbox.inside.frames import Malformed
from synth.sandbox.limits import Limits
from warehouse.records import Judgement

Verdict = tuple[Judgement, str, float]


def examine(far: FarSide, program: str, test: Test, entry: str, limits: Limits, seed: int) -> Verdict:
    """The verdict of the test's check program, a note, and the candidate's CPU seconds.

    A check that fails before it has called the candidate is not the candidate's doing: `INFRA`. The examiner
    waits for the candidate, so that it may take as long again. Raises `Ended` when the candidate's process ended.
    """
    entry = test.entry or entry
    patient = replace(limits, wall_s=min(3600.0, limits.wall_s + limits.ceiling_s))
    with Execution(far, limits, seed) as candidate, Execution(far, patient, seed) as examiner:
        loaded = candidate.ask({"do": "load", "source": program, "entries": [entry]})
        if loaded.verdict is not Judgement.PASS:
            memory = loaded.verdict is Judgement.MEMORY
            return Judgement.MEMORY if memory else Judgement.LOAD_ERROR, loaded.note, candidate.finish().cpu_s
        verdict, note = _relay(examiner, candidate, test, entry)
        return verdict, note, candidate.finish().cpu_s


def _relay(examiner: Execution, candidate: Execution, test: Test, entry: str) -> tuple[Judgement, str]:
    asked = 0
    failure: tuple[Judgement, str] | None = None
    nonce = secrets.token_hex(8)
    message, ended = _say(examiner, {"do": "check", "source": test.check, "entries": [entry]}, nonce)
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
        message, ended = _say(examiner, answer, nonce)
    if "v" in message:
        return Judgement.PASS, ""
    if failure is not None:
        return failure
    said = f"{message.get('x')}: {message.get('m')}"
    if not asked:
        return Judgement.INFRA, f"the check fails by itself: {ended.note if ended else said}"
    if ended is not None:
        return ended.verdict, f"the check did not finish on the answers: {ended.note}"
    return Judgement.WRONG, f"check failed at call {asked}: {said}"


def _say(examiner: Execution, request: dict[str, object], nonce: str) -> tuple[dict[str, Any], Ended | None]:
    """What the examiner says to one message, or nothing and how it ended."""
    try:
        examiner.send(request, nonce)
        return examiner.message(nonce), None
    except Ended as ended:
        return {}, ended


def _items(args: object) -> object:
    """The arguments of a call, packed as a tuple by the examiner, as a list."""
    return args["t"] if type(args) is dict and set(args) == {"t"} else args
