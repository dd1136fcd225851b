"""Packages, faults and the admission of repair tasks."""

from __future__ import annotations

import ast
import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from shop import FILES, FIXED, TASK

from synth.bench import SandboxBench
from synth.environments import Budget
from synth.environments.makers import MAKERS
from synth.environments.packages import domains
from synth.environments.repository import applied, difference
from synth.environments.repository.draft import draft, shown, written
from synth.environments.repository.faults import KINDS, faults_of, inject
from synth.environments.repository.loading import ENTRY, program
from synth.environments.repository.making import regenerated
from synth.environments.running import called, play, scripted
from synth.evidence import Subject, examine
from synth.family import Item
from synth.graders import Judge
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Request
from synth.sandbox import Pool, Test, load_tests
from synth.seeds import stream
from warehouse.errors import UserError
from warehouse.records import Domain, Judgement, Task

REPOSITORY = MAKERS.get("repository")


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(workers=1) as judge:
        yield judge


@pytest.fixture(scope="module")
def made(judge: Judge) -> list[Task]:
    """Accepted tasks of every level."""
    tasks: list[Task] = []
    for level in REPOSITORY.levels:
        admission = Admission("c", judge, Novelty(), checks=REPOSITORY.checks(judge.pool))
        request = Request("repository", level, 6, 0)
        for batch in admit(REPOSITORY.made(request, judge.pool), REPOSITORY.generator, admission):
            assert batch.n_in == batch.n_out + sum(batch.rejected.values()) == 6
            tasks += batch.accepted
    return tasks


@pytest.mark.parametrize("domain", domains())
@pytest.mark.parametrize("size", [1, 3, 5])
def test_a_package_agrees_with_its_oracles(domain: str, size: int, judge: Judge):
    rng = stream("package", domain, size)
    for _ in range(2):
        blueprint = domains()[domain](rng, size)
        tests = []
        for probe in blueprint.probes:
            for _ in range(12):
                given = probe.inputs(rng)
                call = (f"{blueprint.package}.{probe.module}", probe.function, list(given))
                tests.append(Test(args=call, expected=probe.oracle(*given)))
        files = blueprint.files()
        assert 3 <= len(files) <= 12
        result = judge.pool.verify(program(files, [blueprint.package]), tests, entry=ENTRY)
        assert result.verdict is Judgement.PASS, result.detail


def test_packages_are_not_all_alike():
    drafts = [draft(stream("alike", i), 1 + i % 5) for i in range(40)]
    assert len({made.domain for made in drafts}) == 5
    assert len({made.package for made in drafts}) > 10
    assert {len(made.whole) for made in drafts} >= {4, 6, 9}
    assert all(3 <= len(made.whole) <= 12 for made in drafts)
    assert len({json.dumps(dict(made.whole)) for made in drafts}) == 40


def test_the_same_seed_gives_the_same_draft():
    assert draft(stream("x"), 3) == draft(stream("x"), 3)
    assert draft(stream("x"), 3) != draft(stream("y"), 3)


def test_every_fault_is_one_edit_that_changes_the_program():
    kinds: Counter[str] = Counter()
    for name, build in domains().items():
        modules = build(stream("faults", name), 5).modules
        used = {"share", "pair", "around", "merged", "words", "instructions"}
        for module, source in modules.items():
            for fault in faults_of(module, source, used):
                changed = fault.applied(source)
                assert source[: fault.start] == changed[: fault.start]
                assert changed.endswith(source[fault.end :])
                assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source)), (fault, source)
                kinds[fault.kind] += 1
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= 5


def test_several_faults_lie_in_several_modules():
    modules = domains()["billing"](stream("many"), 5).modules
    broken, faults = inject(stream("many"), modules, 3)
    assert len({fault.module for fault in faults}) == 3
    assert {name for name in modules if modules[name] != broken[name]} == {fault.module for fault in faults}
    assert len(inject(stream("one"), {"a": "x = 1\n"}, 3)[1]) == 1


def test_admitted_tasks_are_agent_tasks_with_evidence_and_difficulty(made: list[Task], judge: Judge):
    assert len(made) >= 15
    assert {task.level for task in made} == set(range(1, 6))
    for task in made:
        difficulty = task.params["difficulty"]
        assert task.domain is Domain.AGENT
        assert difficulty["distance"] >= -1
        assert difficulty["n_failing"] >= 1
        assert 0 <= difficulty["n_beside"] < difficulty["n_files"]
        assert set(difficulty["kinds"]) <= set(KINDS)
        given = json.loads(task.scaffold or "")
        whole = applied(given, task.reference or "")
        assert difference(given, whole) == task.reference
        assert not any(f"{shown(test)} " in task.prompt for test in load_tests(task.hidden_tests or ""))
    assert len({task.params["difficulty"]["n_beside"] for task in made}) > 1
    words = judge.judge([*made, *made], [task.reference or "" for task in made] + [""] * len(made))
    assert [word.reward for word in words] == [1.0] * len(made) + [0.0] * len(made)
    assert regenerated(made[0], judge.pool) == made[0]


def test_the_visible_tests_show_the_fault_and_the_repair(made: list[Task], judge: Judge):
    for task in made[::4]:
        steps = [called("run_tests"), called("apply_patch", patch=task.reference or ""), called("run_tests")]
        one = play(task, scripted(steps), judge.pool, budget=Budget(), clock=time.monotonic)
        seen = [str(turn.get("observation")) for turn in one.turns]
        assert seen[1].startswith("FAILED"), seen[1]
        assert seen[3].endswith(" 0 failed"), seen[3]
        assert one.passed
        again = play(task, scripted(steps), judge.pool, budget=Budget(), clock=time.monotonic)
        assert [turn.get("observation") for turn in again.turns] == [turn.get("observation") for turn in one.turns]


def subject(**changes: object) -> Subject:
    tests, hidden = load_tests(TASK.tests or ""), load_tests(TASK.hidden_tests or "")
    task = replace(TASK, reference=difference(FILES, FIXED), **changes)  # type: ignore[arg-type]
    if "hidden_tests" in changes:
        hidden = load_tests(str(changes["hidden_tests"]))
    item = Item(prompt="p", answer_kind="patch", reference=task.reference or "", tests=tests, hidden_tests=hidden)
    return Subject(task, item)


def shared(expected: int) -> str:
    from shop import call

    from synth.sandbox import dump_tests

    return dump_tests([call("prices", "total", [expected, k], 100 * (k > 0), expected=0) for k in (1, 2)])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"scaffold": json.dumps(FIXED)}, "repair: out of scope"),
        ({"scaffold": json.dumps({**FILES, "shop/money.py": "def share(cents, percent):\n    return 1\n"})}, "repair"),
        ({"params": {**TASK.params, "scope": ["shop/money.py"]}}, "repair: out of scope"),
        ({"hidden_tests": shared(5)}, "guess: a constant passes"),
        ({"hidden_tests": TASK.tests}, "guess: every graded call is shown"),
    ],
)
def test_what_is_no_task_is_refused_with_its_reason(changes: dict[str, object], reason: str | None, judge: Judge):
    found = examine([subject(**changes)], SandboxBench(judge), checks=REPOSITORY.checks(judge.pool))[0]
    if reason is None:
        assert found.reason is None
        assert [verdict.check for verdict in found.verdicts] == ["patch_scope", "repair", "fault", "guess"]
    else:
        assert (found.reason or "").startswith(reason), found.reason


def test_tests_are_written_as_people_write_them():
    from shop import VISIBLE

    text = written(VISIBLE)
    assert text.startswith(
        "from shop.prices import total\n\n\ndef test_total_1():\n    found = total([100, 200], 10)\n"
    )
    compile(text, "tests", "exec")


def test_an_unknown_level_is_refused(judge: Judge):
    with pytest.raises(UserError, match="no level 9; levels: 1, 2, 3, 4, 5"):
        next(iter(REPOSITORY.made(Request("repository", 9, 1, 0), judge.pool)))


def test_a_fault_in_a_loop_ends(judge: Judge):
    with Pool(workers=1) as pool:
        endless = {
            **FILES,
            "shop/prices.py": FILES["shop/prices.py"].replace("gross = sum", "while True: pass\n    x = sum"),
        }
        task = replace(TASK, scaffold=json.dumps(endless))
        one = play(task, scripted([called("run_tests")]), pool, budget=Budget(), clock=time.monotonic)
    assert "did not finish: TIMEOUT_CPU" in str(one.turns[1]["observation"])
    assert one.word.judgement is Judgement.TIMEOUT_CPU
