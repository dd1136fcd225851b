"""Evidence lets right tasks in and planted bad ones out, and never admits what it could not decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from synth.bench import SandboxBench
from synth.demonstrations import corrupted
from synth.evidence import CHECKS, Check, Finding, Subject, examine
from synth.evidence.check import undecided
from synth.family import FAMILIES, Item
from synth.graders import Judge
from synth.sandbox import Test
from synth.seeds import stream
from synth.tasks import make_item, to_task
from warehouse.errors import UserError
from warehouse.records import Outcome, Status


@pytest.fixture(scope="module")
def bench() -> Iterator[SandboxBench]:
    with Judge(workers=2) as judge:
        yield SandboxBench(judge)


def subject(name: str, item: Item, *, level: int, index: int = 0) -> Subject:
    family = FAMILIES.get(name)
    return Subject(to_task(family, item, level=level, seed=0, index=index), item, family)


def subjects(name: str, level: int, n: int) -> list[Subject]:
    family = FAMILIES.get(name)
    return [subject(name, make_item(family, level=level, seed=0, index=i), level=level, index=i) for i in range(n)]


def reasons(made: list[Subject], bench: SandboxBench) -> list[str | None]:
    return [examined.reason for examined in examine(made, bench)]


def test_right_tasks_pass_every_check_that_applies(bench: SandboxBench):
    made = subjects("rot", 6, 20) + subjects("equations", 2, 20) + subjects("lin", 4, 20) + subjects("pattern", 2, 6)
    found = examine(made, bench)
    assert [examined.reason for examined in found] == [None] * len(made)
    checks = {verdict.check for verdict in found[-1].verdicts}
    assert checks == {"prompt_leak", "null_probe", "reference", "independent"}
    assert {"gold", "independent"} <= {verdict.check for verdict in found[0].verdicts}
    assert "mutants" in {verdict.check for verdict in found[45].verdicts}
    lineages = {verdict.verifier_lineage for verdict in found[0].verdicts}
    assert "gradatim-programs" not in lineages


def test_planted_wrong_golds_are_refused(bench: SandboxBench):
    made = []
    for name, level in (("rev", 6), ("rot", 5), ("add", 7), ("tally", 8), ("inc", 6), ("sort", 8)):
        for i, right in enumerate(subjects(name, level, 40)):
            wrong = corrupted(right.item.gold or "", stream("planted", name, i))
            if wrong != right.item.gold:
                made.append(subject(name, replace(right.item, gold=wrong, reference=wrong), level=level, index=i))
    found = reasons(made, bench)
    assert len(made) > 200
    assert found.count(None) == 0


def test_planted_weak_tests_are_refused(bench: SandboxBench):
    made = []
    for name, level in (("lin", 4), ("quad", 3), ("agg", 2), ("cut", 3), ("bit", 4)):
        for i, right in enumerate(subjects(name, level, 20)):
            kinds = (
                replace(right.item, hidden_tests=()),
                replace(right.item, hidden_tests=right.item.tests),
                replace(right.item, tests=(), hidden_tests=right.item.hidden_tests[:1]),
            )
            made.append(subject(name, kinds[i % 3], level=level, index=i))
    found = reasons(made, bench)
    assert found.count(None) == 0


def test_guessable_and_contradictory_tasks_are_refused(bench: SandboxBench):
    constant = Item(
        prompt="Write f.", answer_kind="program", reference="def f(x):\n    return x * 0\n", entry="f",
        hidden_tests=tuple(Test(args=(x,), expected=0) for x in range(5)),
    )  # fmt: skip
    echo = replace(constant, reference="def f(x):\n    return x\n", hidden_tests=tuple(
        Test(args=(x,), expected=x) for x in range(5)
    ))  # fmt: skip
    yes = Item(
        prompt="Is 7 a prime?", answer_kind="text", reference="yes", gold="yes", params={"answer_format": "bare"}
    )
    impossible = replace(constant, hidden_tests=(Test(args=(1,), expected=2), Test(args=(1,), expected=3)))
    families = ("lin", "lin", "rev", "lin")
    items = (constant, echo, yes, impossible)
    made = [replace(subject(name, item, level=2), family=None) for name, item in zip(families, items, strict=True)]
    found = reasons(made, bench)
    assert found[0] == "null_probe: constant passes"
    assert found[1] == "null_probe: echo passes"
    assert found[2] == "null_probe: constant passes"
    assert found[3] == "reference: WRONG"


def test_a_prompt_that_holds_its_only_graded_assertion_is_refused(bench: SandboxBench):
    item = Item(
        prompt="Write double(x).\nassert double( 4 ) == 8",
        answer_kind="program",
        reference="def double(x):\n    return x + x\n",
        entry="double",
        hidden_tests=(Test(args=(4,), expected=8),),
    )
    made = [replace(subject("lin", item, level=1), family=None)]
    assert reasons(made, bench) == ["prompt_leak: every graded assertion is shown"]
    answered = Item(prompt="What is 6 * 7? \\boxed{42}", answer_kind="integer", reference="\\boxed{42}", gold="42")
    assert reasons([replace(subject("chain", answered, level=3), family=None)], bench) == [
        "prompt_leak: answer in prompt"
    ]


def test_an_unstable_reference_is_refused(bench: SandboxBench):
    item = Item(
        prompt="Give the first letter of the set.",
        answer_kind="program",
        reference="def f(s):\n    return next(iter(set(s)))\n",
        entry="f",
        hidden_tests=tuple(Test(args=(word,), expected=word[0]) for word in ("abcdefgh", "hgfedcba", "qwertyui")),
    )
    [reason] = reasons([replace(subject("lin", item, level=1), family=None)], bench)
    assert reason in ("reference: unstable", "reference: WRONG")


def test_undecided_never_admits(bench: SandboxBench):
    def shrug(made: list[Subject], _: object) -> list[Finding]:
        return [undecided("shrug: cannot tell") for _ in made]

    check = Check("shrug", 1, "nobody", 99, shrug)  # type: ignore[arg-type]
    [found] = examine(subjects("rot", 6, 1), bench, checks=[*CHECKS, check])
    assert found.reason == "shrug: cannot tell"
    assert found.status is Status.QUARANTINED
    assert found.verdicts[-1].outcome is Outcome.UNDECIDED


def test_generator_and_verifier_of_one_lineage_are_refused(bench: SandboxBench):
    with pytest.raises(UserError, match="share the lineage 'second-algorithm'"):
        examine(subjects("rev", 4, 1), bench, generator="rev", lineage="second-algorithm")


def test_an_arithmetic_echo_is_no_answer(bench: SandboxBench):
    item = Item(prompt="add 12+34?", answer_kind="integer", reference="46", gold="46", params={"answer_format": "bare"})
    [reason] = reasons([subject("add", item, level=4)], bench)
    assert reason in (None, "null_probe: arithmetic copied from the prompt passes")
    word = bench.judge(
        [subject("add", make_item(FAMILIES.get("add"), level=6, seed=0, index=0), level=6).task], ["305+334"]
    )
    assert word[0].value == "WRONG"
