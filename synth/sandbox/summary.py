"""From what was seen of each test to one result, in words within bounds."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from synth.sandbox import compare
from synth.sandbox.case import Test
from synth.sandbox.inside.tree import Tree, unpack
from synth.sandbox.judging import Question, Seen, Sight
from synth.sandbox.result import Output, Ran, Result
from warehouse.records import Judgement

WIDTH = 160
"""Longest rendering of one value in a detail, characters."""

_WORDS = {
    Judgement.PASS: "all tests passed",
    Judgement.WRONG: "wrong answer",
    Judgement.EXCEPTION: "raised an exception",
    Judgement.TIMEOUT_CPU: "used too much CPU time",
    Judgement.TIMEOUT_WALL: "waited too long",
    Judgement.MEMORY: "used too much memory",
    Judgement.OUTPUT_LIMIT: "gave too large an answer",
    Judgement.CRASH: "process ended without an answer",
    Judgement.LOAD_ERROR: "program did not load",
    Judgement.VIOLATION: "did something that no solution needs to do",
    Judgement.UNSTABLE: "answers differ from run to run",
    Judgement.INFRA: "could not be judged",
}


def result(question: Question, sights: Sequence[Sight]) -> Result:
    """The result of a program seen once, or several times under other seeds: then `UNSTABLE` when sights differ."""
    first = sights[0]
    cpu_s = max(sight.cpu_s for sight in sights)
    total = len(question.tests)
    lost = next((seen for sight in sights for seen in sight.seen if seen.verdict is Judgement.INFRA), None)
    if lost is not None:
        return _result(Judgement.INFRA, 0, total, cpu_s, lost.note, None)
    passed = sum(seen.verdict is Judgement.PASS for seen in first.seen)
    for sight in sights[1:]:
        number = _difference(question.tests, first, sight)
        if number is not None:
            note = f"test {number} of {total}: answers differ between seeds"
            return _result(Judgement.UNSTABLE, passed, total, cpu_s, note, None)
    for number, seen in enumerate(first.seen):
        if seen.verdict is not Judgement.PASS:
            detail = f"test {number + 1} of {total}: {_detail(question, question.tests[number], seen)}"
            return _result(seen.verdict, passed, total, cpu_s, detail, seen.raised)
    return _result(Judgement.PASS, passed, total, cpu_s, f"{total} of {total} tests passed", None)


def _result(verdict: Judgement, passed: int, total: int, cpu_s: float, detail: str, raised: str | None) -> Result:
    reward = None if verdict is Judgement.INFRA else float(verdict is Judgement.PASS)
    safe = f"{verdict}: {_WORDS[verdict]}"
    if raised is not None and isinstance(getattr(builtins, raised, None), type):
        safe += f" ({raised})"
    return Result(verdict, reward, passed, total, cpu_s, detail, f"{safe}; {passed} of {total} tests passed")


def _difference(tests: Sequence[Test], first: Sight, second: Sight) -> int | None:
    """The number of the first test, from 1, that came to something else; none when the two sights agree."""
    if len(first.seen) != len(second.seen):
        return min(len(first.seen), len(second.seen)) + 1
    for number, (test, one, two) in enumerate(zip(tests, first.seen, second.seen, strict=False), 1):
        if one.verdict is not two.verdict:
            return number
        if one.verdict is Judgement.WRONG and not _agree(test, one, two):
            return number
    return None


def _agree(test: Test, one: Seen, two: Seen) -> bool:
    if test.stdin is not None or one.answer is None or two.answer is None:
        return bool(one.answer == two.answer)
    return compare.agree(test, one.answer, two.answer)


def _detail(question: Question, test: Test, seen: Seen) -> str:
    asked = _asked(question, test)
    if seen.verdict is not Judgement.WRONG or seen.note:
        return f"{asked}: {seen.note}" if asked else seen.note
    expected = f"{'any of ' if test.any_of else ''}{show(test.expected)}"
    return f"{asked} gave {show_tree(seen.answer)}, expected {expected}"


def _asked(question: Question, test: Test) -> str:
    if test.check is not None:
        return ""
    if test.stdin is not None:
        return f"stdin {show(test.stdin)}"
    entry = " -> ".join(test.through) or question.name(test)
    inside = [show(arg) for arg in test.args] + [f"{name}={show(value)}" for name, value in test.kwargs.items()]
    calls = "".join(f".{name}(...)" for name, _ in test.methods[:8])
    return _cut(f"{entry}({', '.join(inside)}){calls}", 2 * WIDTH)


def show_tree(tree: Tree, depth: int = 0) -> str:
    """A bounded rendering of an answer, which never becomes an object here."""
    if type(tree) is str:
        return _cut(repr(tree[:WIDTH]), WIDTH)
    if tree is None or type(tree) in (bool, int, float):
        return repr(tree)
    if depth > 4:
        return "..."
    if type(tree) is list:
        return _items("[", tree, "]", depth)
    ((tag, body),) = tree.items()
    if tag == "d":
        pairs = [f"{show_tree(k, depth + 1)}: {show_tree(v, depth + 1)}" for k, v in body[:10]]
        return "{" + _cut(", ".join(pairs) + (", ..." if len(body) > 10 else ""), WIDTH) + "}"
    if tag == "t":
        return _items("(", body, ",)" if len(body) == 1 else ")", depth)
    if tag in ("s", "z"):
        return _items("{", body, "}", depth)
    return _cut(str(body[:WIDTH]), WIDTH)


def _items(opening: str, items: list[Tree], closing: str, depth: int) -> str:
    shown = [show_tree(item, depth + 1) for item in items[:20]] + ["..."] * (len(items) > 20)
    return opening + _cut(", ".join(shown), WIDTH) + closing


def show(value: object) -> str:
    """A bounded rendering of a value of ours."""
    from synth.sandbox.casefile import packed

    return show_tree(packed(value, "value"))


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def ran(question: Question, sight: Sight) -> Ran:
    """What a trusted program gave, as values."""
    outputs = []
    verdict, detail = Judgement.PASS, ""
    for test, seen in zip(question.tests, sight.seen, strict=False):
        if seen.verdict is Judgement.PASS:
            outputs.append(_value(seen.answer))
            continue
        if verdict is Judgement.PASS:
            verdict, detail = seen.verdict, f"{_asked(question, test)}: {seen.note}"
        outputs.append(Output(None, seen.raised or str(seen.verdict), seen.note))
    return Ran(verdict, tuple(outputs), sight.cpu_s, detail)


def _value(tree: Tree) -> Output:
    """The value of an answer; a forged tree, of which Python makes no value, is a violation."""
    try:
        return Output(unpack(tree))
    except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
        return Output(None, str(Judgement.VIOLATION), f"malformed answer: {type(error).__name__}")
