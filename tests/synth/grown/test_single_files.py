"""Imported references with a fault in them are repair tasks: whole they pass, as given they do not, and play works."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from synth.batch import Batch
from synth.environments import Budget
from synth.environments.repository.searching import Searcher
from synth.environments.running import called, play, scripted
from synth.graders import Judge
from synth.grown import grow
from synth.grown.growing import evidence
from synth.importers import get
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from warehouse.records import Domain, Judgement


@pytest.fixture(scope="module", params=["mbpp", "humaneval"])
def grown(corpora: Path, request: pytest.FixtureRequest) -> Iterator[tuple[Batch, Judge]]:
    files = {"mbpp": "mbpp_sanitized.jsonl", "humaneval": "HumanEval.jsonl.gz"}
    with Judge(workers=1) as judge:
        rows = get(request.param).read(corpora / files[request.param], limit=12).rows
        parents = [row.subject.task for row in rows if row.subject is not None]
        generator, proposals = grow("single_file", parents, judge, seed=0)
        admission = Admission("c", judge, Novelty(), checks=evidence(generator.name, judge))
        [batch] = admit(proposals, generator, admission)
        assert batch.n_in == len(parents) == batch.n_out + sum(batch.rejected.values())
        yield batch, judge


def test_accepted_ones_are_repaired_by_their_reference_alone(grown: tuple[Batch, Judge]):
    batch, judge = grown
    assert batch.n_out >= 2, batch.rejected
    for task in batch.accepted:
        assert (task.domain, task.family, len(task.parents)) == (Domain.AGENT, "single_file", 1)
        words = judge.judge([task] * 2, [task.reference or "", ""])
        assert [word.judgement is Judgement.PASS for word in words] == [True, False]
        assert task.source in ("mbpp", "humaneval")


def test_they_are_played_like_any_repository(grown: tuple[Batch, Judge]):
    batch, judge = grown
    task = batch.accepted[0]
    budget = Budget(calls=40)
    steps = [called("run_tests"), called("apply_patch", patch=task.reference or ""), called("run_tests")]
    one = play(task, scripted(steps), judge.pool, budget=budget, clock=time.monotonic)
    assert one.passed
    assert "failed" in str(one.turns[1]["observation"])
    assert str(one.turns[3]["observation"]).endswith(" 0 failed")
    searched = play(task, Searcher(), judge.pool, budget=budget, clock=time.monotonic)
    assert searched.word.judgement.decided
