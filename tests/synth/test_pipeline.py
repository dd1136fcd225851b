"""The pipeline: every attempt is a row, nothing is lost or counted twice, the same input gives the same tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synth.batch import Batch
from synth.decontaminate import Benchmark
from synth.evidence import Subject
from synth.family import FAMILIES
from synth.graders import Judge
from synth.novelty import Novelty
from synth.pipeline import BATCH, Admission, admit, synthesize
from synth.proposals import Generator, Proposal, Request
from synth.tasks import make_item, regenerate, to_task
from warehouse.errors import UserError
from warehouse.records import AttemptOutcome, Outcome, Status, Task

REQUESTS = [Request("rev", 2, 90, 0), Request("sort", 3, 60, 0), Request("lin", 2, 20, 0), Request("clock", 1, 20, 0)]


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(workers=2) as judge:
        yield judge


def made(judge: Judge, requests: Sequence[Request], known: Sequence[Task] = ()) -> list[Batch]:
    return list(synthesize(requests, campaign_id="c", judge=judge, known=known))


def _without_cost(batch: Batch) -> Batch:
    """The rows, apart from the CPU time that was measured."""
    return replace(batch, attempts=tuple(replace(attempt, cost=0.0) for attempt in batch.attempts))


def accepted(batches: Sequence[Batch]) -> list[Task]:
    return [task for batch in batches for task in batch.accepted]


def test_every_attempt_is_a_row_with_a_task_that_has_verdicts_and_a_status(judge: Judge):
    batches = made(judge, REQUESTS)
    assert sum(batch.n_in for batch in batches) == sum(request.n for request in REQUESTS)
    for batch in batches:
        assert batch.n_in == batch.n_out + sum(batch.rejected.values())
        tasks = {task.task_id for task in batch.tasks}
        assert tasks == {change.task_id for change in batch.statuses} == {verdict.task_id for verdict in batch.verdicts}
        assert batch.n_out == sum(change.status is Status.ACCEPTED for change in batch.statuses)
        for task in batch.accepted:
            verdicts = [verdict for verdict in batch.verdicts if verdict.task_id == task.task_id]
            assert {verdict.outcome for verdict in verdicts} == {Outcome.PASS}
            assert {"prompt_leak", "null_probe", "reference", "independent"} <= {verdict.check for verdict in verdicts}
    ids = [attempt.attempt_id for batch in batches for attempt in batch.attempts]
    assert len(ids) == len(set(ids))
    prompts = [task.prompt for task in accepted(batches)]
    assert len(prompts) == len(set(prompts))
    assert all(regenerate(task) == task for task in accepted(batches))


def test_an_attempt_names_only_a_task_that_is_stored(judge: Judge):
    stored: set[str | None] = {None}
    for batch in made(judge, [Request("mix", 1, 100, 7), Request("cut", 1, 100, 7), Request("agg", 1, 100, 7)]):
        stored |= {task.task_id for task in batch.tasks}
        assert {attempt.task_id for attempt in batch.attempts} <= stored
        assert all(attempt.task_id for attempt in batch.attempts if attempt.outcome is AttemptOutcome.ADMITTED)


def test_a_duplicate_names_the_task_kept_in_its_place(judge: Judge):
    [batch] = made(judge, [Request("rev", 2, 200, 0)])
    kept = {task.task_id for task in batch.accepted}
    repeats = [attempt for attempt in batch.attempts if attempt.reason == "duplicate: exact"]
    assert len(repeats) > 50
    assert {attempt.kept_task_id for attempt in repeats} <= kept
    assert {attempt.similarity for attempt in repeats} == {1.0}


def test_the_same_input_gives_the_same_rows_and_a_stopped_campaign_ends_the_same(judge: Judge):
    first = made(judge, REQUESTS)
    assert [_without_cost(batch) for batch in made(judge, REQUESTS)] == [_without_cost(batch) for batch in first]
    assert sum(attempt.cost for batch in first for attempt in batch.attempts) > 0
    half = accepted(first[:2])
    again = made(judge, REQUESTS, known=half)
    assert [task.task_id for task in accepted(again)] == [task.task_id for task in accepted(first)]
    assert [batch.key for batch in again] == [batch.key for batch in first]


def test_another_campaign_does_not_repeat_what_is_known(judge: Judge):
    before = accepted(made(judge, [Request("rev", 2, 400, 0)]))
    after = made(judge, [Request("rev", 2, 100, 1)], known=before)
    fresh = accepted(after)
    assert not {task.prompt for task in before} & {task.prompt for task in fresh}
    assert sum(batch.rejected.get("duplicate: exact", 0) for batch in after) > 60


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["rev", "sort", "inc", "max", "tally"]),
            st.integers(4, 6),
            st.integers(0, 40),
            st.integers(0, 3),
        ),
        max_size=5,
    )
)
def test_attempts_balance_for_any_requests(judge: Judge, wanted: list[tuple[str, int, int, int]]):
    requests = [Request(name, level, n, seed) for name, level, n, seed in wanted]
    batches = made(judge, requests)
    assert sum(batch.n_in for batch in batches) == sum(request.n for request in requests)
    assert all(batch.n_in == batch.n_out + sum(batch.rejected.values()) for batch in batches)


def test_ten_identical_rows_leave_one_task_and_nine_references_to_it(judge: Judge):
    family = FAMILIES.get("rot")
    item = make_item(family, level=5, seed=0, index=0)
    rows = [
        Proposal(0, i, 5, Subject(to_task(family, item, level=5, seed=0, index=i), item, family)) for i in range(10)
    ]
    generator = Generator("copies", "imported", "1", "corpus:copies")
    [batch] = admit(rows, generator, Admission("c", judge, Novelty()))
    assert batch.n_out == len(batch.accepted) == 1
    assert [attempt.kept_task_id for attempt in batch.attempts[1:]] == [batch.accepted[0].task_id] * 9


def test_ten_copies_of_a_refused_task_are_refused_for_the_same_reason(judge: Judge):
    family = FAMILIES.get("rev")
    index = next(i for i in range(500) if make_item(family, level=2, seed=0, index=i).prompt == "rev aa?")
    item = make_item(family, level=2, seed=0, index=index)
    rows = [
        Proposal(0, i, 2, Subject(to_task(family, item, level=2, seed=0, index=i), item, family)) for i in range(10)
    ]
    [batch] = admit(rows, Generator("copies", "imported", "1", "corpus:copies"), Admission("c", judge, Novelty()))
    assert batch.rejected == {"null_probe: echo passes": 10}
    assert len(batch.tasks) == 1


def test_attempts_without_a_task_are_rows_too(judge: Judge):
    rows = [Proposal(0, i, 0, None, "model: not JSON") for i in range(BATCH + 3)]
    batches = list(admit(rows, Generator("writer", "model", "1", "tiny"), Admission("c", judge, Novelty())))
    assert [batch.n_in for batch in batches] == [BATCH, 3]
    assert batches[1].rejected == {"model: not JSON": 3}
    assert {attempt.outcome for attempt in batches[0].attempts} == {AttemptOutcome.REJECTED}


def test_a_task_of_a_benchmark_is_contaminated(judge: Judge):
    task = accepted(made(judge, [Request("clock", 3, 1, 0)]))[0]
    seen = Benchmark(["Another item of it.", task.prompt], names=["other", task.task_id])
    [batch] = synthesize([Request("clock", 3, 3, 0)], campaign_id="c", judge=judge, benchmark=seen)
    assert batch.rejected["contaminated: exact"] == 1
    verdict = next(v for v in batch.verdicts if v.check == "decontamination" and v.outcome is Outcome.FAIL)
    assert verdict.evidence == {"item": task.task_id, "similarity": 1.0, "found_by": "exact"}


def test_an_unknown_family_is_refused_before_anything_is_made(judge: Judge):
    with pytest.raises(UserError, match="unknown family 'revv'; nearest: rev"):
        made(judge, [Request("revv", 2, 1, 0)])
