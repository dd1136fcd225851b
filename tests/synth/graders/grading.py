"""What tests of graders share: tasks, cases, a judge of fixed words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from synth.graders import GRADERS, Case, Grade, Judged, Referee, judged
from synth.sandbox import Test, dump_tests
from warehouse.records import Domain, JsonValue, Judgement, Task


def task(prompt: str = "What is 3+4?", gold: str | None = "7", **more: Any) -> Task:
    settings = {"task_id": prompt + str(gold), "domain": Domain.MATH, "family": "f", "level": 1, "params": {},
                "answer_kind": "integer", **more}  # fmt: skip
    return Task(prompt=prompt, gold=gold, **settings)


def code(visible: Sequence[tuple[Any, Any]], hidden: Sequence[tuple[Any, Any]] = (), **more: Any) -> Task:
    tests = dump_tests([Test(args=(x,), expected=y) for x, y in visible])
    hiddens = dump_tests([Test(args=(x,), expected=y) for x, y in hidden]) if hidden else None
    settings = {
        "prompt": "Write f.",
        "gold": None,
        "domain": Domain.CODE,
        "answer_kind": "program",
        "entry": "f",
        **more,
    }
    return task(tests=tests, hidden_tests=hiddens, **settings)


def case(
    about: Task,
    completion: str,
    word: Judgement = Judgement.PASS,
    turns: tuple[Mapping[str, JsonValue], ...] = (),
    **more: Any,
) -> Case:
    return Case(task=about, completion=completion, judged=judged(word), turns=turns, **more)


def grade(name: str, *cases: Case, referee: Referee | None = None, **params: object) -> list[Grade]:
    kind = GRADERS.get(name)
    return kind(kind.Settings.model_validate(params), referee).grade(cases)


class FixedJudge:
    """Gives the word that a completion spells: PASS, WRONG, INFRA, ..."""

    def judge(
        self, tasks: Sequence[Task], completions: Sequence[str], *, truncated: Sequence[bool] | None = None
    ) -> list[Judged]:
        return [judged(Judgement(completion.split()[0])) for completion in completions]
