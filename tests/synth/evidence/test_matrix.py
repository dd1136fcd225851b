"""Code tasks confirmed by solutions that never saw the tests and tests that never saw a solution."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "writers"))

from scripted_engine import Scripted

from synth.bench import SandboxBench
from synth.engines import Ask
from synth.evidence import CHECKS, Check, Subject
from synth.evidence.matrix import Matrix, decided, matrix_check
from synth.family import Item
from synth.graders import Judge
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.sandbox import Test
from synth.tasks import task_of
from synth.writers import STYLES, Commission, Writer
from warehouse.records import Domain, Outcome, Status

RIGHT = "def total(xs):\n    s = 0\n    for x in xs:\n        if x > 0:\n            s = s + x\n    return s\n"
WRONG = RIGHT.replace("x > 0", "x >= 2")
SUITE = {"tests": [{"args": [[1, -1]], "expected": 1}, {"args": [[]], "expected": 0}, {"args": [[5]], "expected": 5}]}


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(workers=2) as judge:
        yield judge


def proposal(program: str, expected: list[int]) -> str:
    calls = [[1, 2], [-3, 4], [1, 1, 1], [0], [], [7, -7]]
    tests = [{"args": [xs], "expected": value} for xs, value in zip(calls, expected, strict=True)]
    question = "Write a function that returns the sum of the positive numbers of a list."
    return json.dumps({"question": question, "entry": "total", "program": program, "tests": tests})


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def checker(solution: str | None, suite: object = SUITE) -> Scripted:
    def say(ask: Ask, k: int) -> str | None:
        assert RIGHT not in ask.prompt
        assert "[-3, 4]" not in ask.prompt
        return json.dumps(suite) if "Write tests" in ask.prompt else solution and f"```python\n{solution}```"

    return Scripted(say, lineage="abacus")


def made(judge: Judge, text: str, engine: Scripted, *, others: Iterable[Check] = CHECKS):
    writer = Writer(Scripted(lambda ask, k: text), STYLES.get("function"))
    admission = Admission("c", judge, Novelty(), checks=[*others, matrix_check(engine)])
    [batch] = admit(writer.propose([Commission()]), writer.generator, admission)
    return batch


def test_a_right_task_is_admitted(judge: Judge):
    batch = made(judge, proposal(RIGHT, [3, 4, 3, 0, 0, 7]), checker(RIGHT.replace("s + x", "x + s")))
    assert batch.rejected == {}
    verdict = next(row for row in batch.verdicts if row.check == "matrix")
    assert (verdict.verifier_lineage, verdict.outcome) == ("abacus", Outcome.PASS)
    assert verdict.evidence["matrix"] == ["1" * 9] * 4
    assert verdict.evidence["trusted_tests"] == 1.0


def test_a_wrong_reference_with_tests_that_follow_it_is_refused(judge: Judge):
    batch = made(judge, proposal(WRONG, [2, 4, 0, 0, 0, 7]), checker(RIGHT))
    assert batch.rejected == {"matrix: consensus on another behaviour": 1}


@pytest.mark.parametrize(
    ("engine", "reason"),
    [
        (checker("def total(xs):\n    raise ValueError\n"), "matrix: too few behaviours"),
        (checker("I will not."), "matrix: too few behaviours"),
        (checker(None), "infrastructure: HTTP 500"),
        (checker(RIGHT, {"tests": [{"args": [[k]], "expected": -9} for k in range(5)]}),
         "matrix: blind tests expect otherwise"),
        (checker(RIGHT, {"tests": [{"args": [[-k]], "expected": 0} for k in range(8)]}),
         "matrix: blind tests decide nothing"),
        (checker(RIGHT, {"tests": []}), "matrix: blind tests decide nothing"),
        (checker(RIGHT, "I will not."), "matrix: blind tests decide nothing"),
        (checker(RIGHT, {"tests": [{"args": [nested(k)], "expected": k} for k in (95, 400)]}),
         "matrix: blind tests decide nothing"),
    ],
)  # fmt: skip
def test_doubt_admits_nothing(judge: Judge, engine: Scripted, reason: str):
    batch = made(judge, proposal(RIGHT, [3, 4, 3, 0, 0, 7]), engine)
    assert batch.rejected == {reason: 1}
    assert batch.statuses[0].status is Status.QUARANTINED


def test_tests_that_are_no_plain_calls_are_not_decided_here(judge: Judge):
    item = Item(
        prompt="Write total(xs).", answer_kind="program", reference=RIGHT, entry="total",
        hidden_tests=(Test(check="def check(candidate):\n    assert candidate([1]) == 1\n"),),
    )  # fmt: skip
    task = task_of(item, domain=Domain.CODE, family="f", level=0, params={})
    [found] = matrix_check(checker(RIGHT)).examine([Subject(task, item)], SandboxBench(judge))
    assert (found.outcome, found.reason, found.quarantine) == (
        Outcome.UNDECIDED,
        "matrix: tests that are no plain calls",
        True,
    )


@pytest.mark.parametrize("levels", [60, 95, 99, 150, 400])
def test_calls_of_any_depth_are_run_or_refused(levels: int, judge: Judge):
    said = json.loads(proposal(RIGHT, [3, 4, 3, 0, 0, 7]))
    said["tests"][0]["args"] = [nested(levels)]
    batch = made(judge, json.dumps(said), checker(RIGHT))
    assert batch.rejected in ({"reference: EXCEPTION": 1}, {"writer: tests that cannot be kept": 1})
    suite = {"tests": [*SUITE["tests"], {"args": [nested(levels)], "expected": nested(levels)}]}
    assert made(judge, proposal(RIGHT, [3, 4, 3, 0, 0, 7]), checker(RIGHT, suite)).rejected == {}


def test_hostile_solutions_stay_in_the_sandbox(judge: Judge):
    batch = made(judge, proposal(RIGHT, [3, 4, 3, 0, 0, 7]), checker("import os\nos._exit(0)\ndef total(xs): ...\n"))
    assert batch.n_out == 0


def test_solutions_that_differ_from_each_other_are_no_rival():
    reference, others = ("1", "2"), [("1", "3"), ("4", "2"), ("5", "6"), ("1", "2")]
    assert decided(Matrix((reference, *others), ())).outcome is Outcome.UNDECIDED


FORGED = """
import builtins
def total(xs):
    return len(xs)
own = total.__code__
taken = builtins.compile
builtins.compile = lambda source, *rest: taken("def total(xs): return len(xs)", "x", "exec")
import sys
frame = sys._getframe()
while frame:
    if "rows" in frame.f_locals and isinstance(frame.f_locals["rows"], list):
        frame.f_locals["rows"].append(7)
    frame = frame.f_back
"""


def test_a_reference_cannot_answer_for_the_solutions_that_are_held_against_it(judge: Judge):
    batch = made(judge, proposal(FORGED, [2, 2, 3, 1, 0, 2]), checker(RIGHT), others=())
    assert batch.rejected == {"matrix: consensus on another behaviour": 1}


def test_answers_of_more_digits_than_python_writes_are_told_apart(judge: Judge):
    large = RIGHT.replace("return s", "return 10 ** 9000 + s")
    found = made(judge, proposal(RIGHT, [3, 4, 3, 0, 0, 7]), checker(large))
    assert found.rejected == {"matrix: consensus on another behaviour": 1}
