import math

import pytest

from synth.graders import judged
from trainer.config import EvaluationConfig, SamplingConfig
from trainer.errors import EvaluationFailed
from trainer.evaluate import choose, evaluate, protocol_hash, sample_and_judge
from warehouse.records import Judgement, RolloutPurpose

PROTOCOL = EvaluationConfig(n_tasks=60, n_samples=8, k=4)


def test_every_task_gets_its_samples_and_figures_follow_from_them(warm_policy, heldout_tasks, judge):
    found = evaluate(warm_policy, heldout_tasks, judge, PROTOCOL, campaign_id="c", stage_index=0)
    assert len(found.rollouts) == 60 * 8 == len({row.rollout_id for row in found.rollouts})
    figures = {(row.group, row.metric): row for row in found.evaluations}
    passed = sum(row.judgement is Judgement.PASS for row in found.rollouts)
    whole = figures["all", "pass@1"]
    assert math.isclose(whole.value, passed / 480)
    assert 0 <= whole.low <= whole.value <= whole.high <= 1
    assert whole.n == 60
    assert whole.n_samples == 8
    assert figures["all", "pass@4"].value >= whole.value
    assert {"family:rev", "family:sort", "family:inc"} <= {group for group, _ in figures}
    assert figures["arm:rev/2/gradatim", "pass@1"].value > figures["arm:rev/9/gradatim", "pass@1"].value
    mean = sum(row.mean_entropy for row in found.rollouts) / 480
    assert math.isclose(figures["all", "entropy"].value, mean, rel_tol=1e-9)


def test_the_same_evaluation_is_the_same(warm_policy, heldout_tasks, judge):
    first = evaluate(warm_policy, heldout_tasks, judge, PROTOCOL)
    again = evaluate(warm_policy, list(reversed(heldout_tasks)), judge, PROTOCOL)
    first_figures, again_figures = (
        [row for row in found.evaluations if "latency" not in row.metric] for found in (first, again)
    )
    assert first_figures == again_figures
    assert [row.completion for row in first.rollouts] == [row.completion for row in again.rollouts]


def test_the_protocol_changes_its_hash(heldout_tasks):
    other = PROTOCOL.model_copy(update={"temperature": 0.5})
    assert protocol_hash(heldout_tasks, PROTOCOL) != protocol_hash(heldout_tasks, other)
    assert protocol_hash(heldout_tasks, PROTOCOL) != protocol_hash(heldout_tasks[1:], PROTOCOL)


def test_arms_take_turns(heldout_tasks):
    chosen = choose(heldout_tasks, 24)
    assert len({task.arm for task in chosen}) == 24
    assert choose(heldout_tasks, 10_000) == choose(list(reversed(heldout_tasks)), 10_000)


def test_groups_carry_the_whole_matrix_and_families_the_headline(warm_policy, heldout_tasks, judge):
    protocol = PROTOCOL.model_copy(update={"groups": {"words": ("rev", "sort")}, "unseen_families": ("inc",)})
    found = evaluate(warm_policy, heldout_tasks, judge, protocol).evaluations
    metrics = {group: {row.metric for row in found if row.group == group} for group in {row.group for row in found}}
    assert {"stratum:easy", "stratum:medium", "stratum:hard", "stratum:unseen", "group:words"} <= set(metrics)
    whole = {
        "pass@1",
        "pass@2",
        "pass@4",
        "pass@8",
        "majority@8",
        "tokens_p95",
        "latency_p50_s",
        "cheat_rate",
        "reward",
    }
    assert whole <= metrics["all"] == metrics["stratum:unseen"]
    assert metrics["family:rev"] == {"pass@1", "pass@4", "entropy", "tokens"}
    value = {(row.group, row.metric): row.value for row in found}
    assert value["stratum:easy", "pass@1"] > value["stratum:hard", "pass@1"]
    assert value["all", "pass@1"] <= value["all", "pass@2"] <= value["all", "pass@8"]
    assert value["stratum:unseen", "pass@1"] == value["family:inc", "pass@1"]


def test_a_failed_rollout_says_why(warm_policy, heldout_tasks, judge):
    for row in evaluate(warm_policy, heldout_tasks, judge, PROTOCOL).rollouts:
        assert (row.cause is None) == (row.judgement is Judgement.PASS)
        assert row.cause is None or row.cause.split(":")[0] in {"wrong", "truncated", "format"}


def test_undecided_rollouts_count_in_no_pass_rate(warm_policy, heldout_tasks):
    class Half:
        def judge(self, tasks, completions, *, truncated=None):
            return [judged(Judgement.INFRA if len(text) % 2 else Judgement.PASS) for text in completions]

    found = evaluate(warm_policy, heldout_tasks, Half(), PROTOCOL)
    assert next(row for row in found.evaluations if row.metric == "pass@1").value == 1.0


def test_no_tasks_is_an_error(warm_policy, judge):
    with pytest.raises(EvaluationFailed, match="no task"):
        evaluate(warm_policy, [], judge, PROTOCOL)


def test_probes_say_whose_they_are(warm_policy, heldout_tasks, judge):
    rows = sample_and_judge(
        warm_policy, heldout_tasks[:2], judge, n=2, sampling=SamplingConfig(), seed=0,
        purpose=RolloutPurpose.PROBE, owner="probe",
    )  # fmt: skip
    assert [(row.slot, row.sample) for row in rows] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert {row.purpose for row in rows} == {RolloutPurpose.PROBE}
