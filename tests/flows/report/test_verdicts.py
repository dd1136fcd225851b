"""Every verdict of the report in words is that of the paired comparison."""

from dataclasses import replace

import pytest
from campaign_rows import FAMILIES, campaign_rows

from curriculum.estimates import Verdict
from flows.report.changes import Change, as_json, changes
from flows.report.events import events
from flows.report.facts import gather
from flows.report.summary import _breadth, share, summary
from flows.report.tables import families, headline, matrix
from flows.steps.comparison import compare_policies
from warehouse.store import Store

BETTER = Change(0.1, 0.05, 0.15, Verdict.BETTER)
WORSE = Change(-0.1, -0.15, -0.05, Verdict.WORSE)
UNSURE = Change(-0.0001, -0.03, 0.02, Verdict.CANNOT_TELL)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    shared = ("tasks", "task_status")
    other = [row for row in campaign_rows("campaign1", scheduler="uniform", speed=0.03) if row.TABLE not in shared]
    with Store.open(tmp_path_factory.mktemp("verdicts") / "home") as opened:
        opened.commit([*campaign_rows(), *other], batch="one", purpose="campaign", run="run-campaign0")
        yield opened


@pytest.fixture(scope="module")
def facts(store):
    return gather(store, "campaign0", "campaign1")


def text_of(facts, **changed):
    return " ".join(summary(replace(facts, **{name: {"all": found} for name, found in changed.items()})))


@pytest.mark.parametrize("metric", ["pass@1", "pass@8"])
def test_every_change_is_what_compare_says(store, facts, metric):
    pairs = {
        "change": ("campaign0-p0", "campaign0-p3"),
        "baseline_change": ("campaign1-p0", "campaign1-p3"),
        "against": ("campaign1-p3", "campaign0-p3"),
    }
    for name, (a, b) in pairs.items():
        told = compare_policies(store, a, b, metric=metric)
        found = as_json(getattr(facts, name)["all"])[metric]
        assert found == {key: told[key] for key in ("difference", "low", "high", "verdict")}
    one = compare_policies(store, "campaign0-p0", "campaign0-p3", metric=metric, families=["rev"])
    assert facts.change["family:rev"][metric].difference == one["difference"]


def test_nothing_is_compared_across_protocols_or_without_rollouts(store, facts):
    before, after = facts.arm.start("pass@1"), facts.arm.end("pass@1")
    assert changes(store, before, replace(after, protocol_hash="f" * 32), ["pass@1"]) == {}
    assert changes(store, before, replace(after, policy_id="campaign0-p2"), ["pass@1"]) == {}
    assert changes(store, None, after, ["pass@1"]) == {}
    assert "no rollouts are stored to compare" in text_of(facts, change={})


@pytest.mark.parametrize("change", [BETTER, WORSE, UNSURE])
def test_the_gain_is_told_with_its_own_interval_and_verdict(facts, change):
    text = text_of(facts, change={"pass@1": change})
    assert f"task by task {change}, {change.verdict}." in text
    assert "overlap" not in text


@pytest.mark.parametrize("narrow", [BETTER, WORSE, UNSURE])
@pytest.mark.parametrize("wide", [BETTER, WORSE, UNSURE])
def test_breadth_is_praised_only_where_it_surely_held(facts, narrow, wide):
    text = text_of(facts, change={"pass@1": narrow, "pass@8": wide}, baseline_change={"pass@8": WORSE})
    assert ("not bought with breadth" in text) == (narrow is BETTER and wide is BETTER)
    assert ("Breadth was lost" in text) == (wide is WORSE)
    assert ("a loss of 0.03 is not ruled out" in text) == (wide is UNSURE)
    assert f"Under uniform it changed by {WORSE}, worse." in text


@pytest.mark.parametrize(("n", "told"), [(0, "0.0 %"), (1, "0.04 %"), (26, "1.0 %"), (2554, "100.0 %")])
def test_one_in_thousands_is_not_told_as_none(n, told):
    assert share({"x_rate": n / 2554, "x_low": 0.0, "x_high": 1.0}, "x").startswith(told)


@pytest.mark.parametrize("fallen", [{}, {"rev": UNSURE}, {"rev": WORSE, "sort": UNSURE}])
def test_families_that_lost_breadth_are_counted_where_it_grew_over_all(facts, fallen):
    families = {
        f"family:{name}": {"pass@8": change}
        for name, change in ({"max": BETTER, "rev": BETTER, "sort": BETTER} | fallen).items()
    }
    change = {"all": {"pass@1": BETTER, "pass@8": BETTER}} | families
    text = _breadth(replace(facts, change=change))
    assert "not bought with breadth" in text
    n_proven = sum(one is WORSE for one in fallen.values())
    told = f"fell in {len(fallen)} of 3, {n_proven or 'none'} of them beyond chance"
    assert (told in text) == bool(fallen)
    assert ("fell in" in text) == bool(fallen)


def test_level_with_the_baseline_reads_as_level(facts):
    text = text_of(facts, against={"pass@1": UNSURE, "pass@8": WORSE})
    assert "level with uniform sampling: +0.000 [-0.030, 0.020]; cannot tell" in text.replace("-0.000", "+0.000")
    assert "In pass@8 it differs by -0.100 [-0.150, -0.050], worse." in text
    assert "better than uniform sampling" in text_of(facts, against={"pass@1": BETTER})
    assert "worse than uniform sampling" in text_of(facts, against={"pass@1": WORSE})


def test_breadth_is_that_of_the_campaigns_k(facts):
    larger = [replace(e, metric="pass@16") for e in facts.arm.evaluations if e.metric == "pass@8"]
    arm = replace(facts.arm, evaluations=(*facts.arm.evaluations, *larger))
    assert replace(facts, arm=arm).wide == "pass@8"
    run = replace(facts.runs[-1], config={"evaluation": {"k": 16}})
    assert replace(facts, arm=arm, runs=(run,)).wide == "pass@16"
    assert replace(facts, runs=(run,)).wide == "pass@8"


def test_tables_carry_the_paired_change(facts):
    narrow, wide, entropy = headline(facts)
    assert (narrow.change, wide.change, entropy.change) == (*facts.change["all"].values(), None)
    assert narrow.against == facts.against["all"]["pass@1"]
    for row in families(facts):
        assert row.change == facts.change[f"family:{row.family}"]["pass@1"]
        assert row.wide_before
        assert row.wide_after
    assert sorted(row.family for row in families(facts)) == sorted(FAMILIES)
    assert [row.name for row in matrix(facts)] == ["pass@1", "pass@8"]


def test_after_a_roll_back_the_end_is_the_look_gone_back_to(facts):
    arm = replace(facts.arm, final=1)
    assert arm.end("pass@1").stage_index == 1
    assert facts.arm.end("pass@1").stage_index == 3


def test_a_stage_behind_the_last_evaluation_is_named(facts):
    assert "No figure here is of" not in text_of(facts)
    by_hand = replace(facts.arm.trained[-1], stage_id="s4", stage_index=4, policy_out="byhand-policy")
    text = text_of(replace(facts, arm=replace(facts.arm, stages=(*facts.arm.stages, by_hand))))
    assert "No figure here is of stage 4" in text
    assert "gradatim evaluate --policy byhand-p" in text


def test_canary_rollouts_are_told_apart(facts):
    arm = replace(facts.arm, canaries={"campaign0-s1": 120})
    assert "on 15,240 training rollouts and 120 of canaries" in text_of(replace(facts, arm=arm))


def test_an_alarm_between_stages_lies_at_the_end_of_its_stage(facts):
    places = {(event["what"], event["kind"]): (event["step"], event["where"]) for event in events(facts)}
    assert places["forgetting", "warn"] == (80, "after stage 2")
    assert places["forgetting", "clear"] == (120, "after stage 3")
    assert places["zero_variance_all_right", "warn"] == (50, "stage 2, step 10")
    assert places["rollback_and_halve_rate", "action"] == (65, "stage 2, step 25")
