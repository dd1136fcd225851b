"""The metric matrix against counting by hand, its quantiles against simulation, and strata by construction."""

import math

import numpy as np
import pytest

from curriculum.errors import CurriculumError
from curriculum.estimates import clustered_quantile
from curriculum.metrics import HEADLINE, QUANTILES, RATES, bounded, per_sample, per_task
from curriculum.strata import strata
from warehouse.records import Domain, FinishReason, Judgement, Rollout, RolloutPurpose, Task, TaskKind


def row(text: str, judgement: Judgement, **more: object) -> Rollout:
    given = {
        "rollout_id": text, "task_id": "t", "policy_id": "p", "purpose": RolloutPurpose.EVAL, "sample": 0,
        "completion": text, "n_tokens": len(text), "finish_reason": FinishReason.STOP, "judgement": judgement,
        "reward": None if not judgement.decided else float(judgement is Judgement.PASS),
    }  # fmt: skip
    return Rollout(**(given | more))  # type: ignore[arg-type]


def test_every_metric_is_what_counting_gives():
    groups = [
        [row("ab", Judgement.PASS), row("ab", Judgement.PASS), row("c", Judgement.WRONG), row("", Judgement.NO_ANSWER)],
        [
            row("d", Judgement.WRONG),
            row("e", Judgement.INFRA),
            row("f", Judgement.CHEAT, cheats=("copied",)),
            row("gggg", Judgement.TRUNCATED, finish_reason=FinishReason.LENGTH, mean_entropy=0.5),
        ],
    ]
    found = {name: values.tolist() for name, values in per_task(groups, (1, 4)).items()}
    assert found["pass@1"] == [0.5, 0.0]
    assert found["pass@4"][0] == 1.0
    assert math.isnan(found["pass@4"][1])
    assert found["majority@4"] == [1.0, 0.0]
    assert found["tokens"] == [1.25, 1.75]
    assert found["reward"] == [0.5, 0.0]
    assert found["truncated_rate"] == [0.0, 0.25]
    assert found["no_answer_rate"] == [0.25, 0.0]
    assert found["cheat_rate"] == [0.0, 0.25]
    assert found["infra_rate"] == [0.0, 0.25]
    assert found["violation_rate"] == found["undecided_rate"] == [0.0, 0.0]
    assert math.isnan(found["entropy"][0])
    assert found["entropy"][1] == 0.5
    assert per_sample(groups, "tokens_p50").tolist() == [[2, 2, 1, 0], [1, 1, 1, 4]]
    assert {*HEADLINE, *RATES} <= set(found)
    assert [bounded(name) for name in ("pass@1", "majority@4", "cheat_rate", "tokens", "reward")] == [
        True, True, True, False, False,
    ]  # fmt: skip
    assert set(QUANTILES).isdisjoint(found)


def test_programs_do_not_vote():
    group = [row("x+1", Judgement.PASS, parts={"tests_passed": 1.0})] * 2
    assert math.isnan(per_task([group], (1,))["majority@2"][0])


def test_a_quantile_covers_and_says_so_by_its_width():
    rng = np.random.default_rng(1)
    hits = 0
    for seed in range(100):
        values = rng.exponential(size=(60, 8)) + rng.exponential(size=(12, 1)).repeat(5, 0)
        found = clustered_quantile(values, 0.5, np.repeat(np.arange(12), 5), seed=seed)
        hits += found.low <= TRUE_MEDIAN <= found.high
    assert 82 <= hits <= 100
    wide = clustered_quantile(values, 0.95)
    assert wide.low <= wide.value <= wide.high
    assert wide.value == pytest.approx(np.quantile(values, 0.95))


TRUE_MEDIAN = 1.6783
"""Median of the sum of two standard exponentials: the root of (1 + x) exp(-x) = .5."""


def test_quantiles_of_nothing_and_of_one_task():
    assert math.isnan(clustered_quantile([[math.nan]], 0.5).value)
    assert clustered_quantile([[3.0, math.nan]], 0.95).value == 3.0
    with pytest.raises(CurriculumError, match="q in"):
        clustered_quantile([[1.0]], 1.5)


def task(family: str, level: int, prompt: str, kind: TaskKind = TaskKind.VERIFIABLE) -> Task:
    return Task(
        task_id=prompt, domain=Domain.MATH, family=family, level=level, params={}, prompt=prompt,
        answer_kind="integer", gold="1", kind=kind,
    )  # fmt: skip


def test_strata_split_a_familys_levels_in_thirds_and_name_what_is_special():
    tasks = [task("a", level, "x" * level) for level in range(1, 10)]
    tasks += [task("b", 5, "y"), task("b", 5, "z", TaskKind.ADVERSARIAL)]
    found = strata(tasks, unseen={"b"})
    assert found["easy"] == [0, 1, 2]
    assert found["medium"] == [3, 4, 5, 9, 10]
    assert found["hard"] == [6, 7, 8]
    assert found["long"] == [7, 8]
    assert found["adversarial"] == [10]
    assert found["unseen"] == [9, 10]
    assert strata([]) == {}
