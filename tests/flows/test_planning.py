"""Plans when one policy serves several campaigns of a home."""

from __future__ import annotations

import pytest
from planted_campaign import CONFIG

from curriculum.summary import summarize
from flows.settings import Settings
from flows.steps.calibration import believe
from flows.steps.planning import arms_of, earlier_evidence, plan_mixture, propose
from flows.workshop import Workshop
from warehouse.records import Domain, Policy, Split, Task, TaskKind
from warehouse.store import Store


def tasks_in(family: str, kind: TaskKind = TaskKind.VERIFIABLE) -> list[Task]:
    return [
        Task(
            task_id=f"{family}-{level}-{i}", domain=Domain.MATH, kind=kind, family=family, level=level,
            params={"index": i}, prompt=f"{family} {level} {i}?", answer_kind="text", gold="x", split=Split.TRAIN,
        )
        for level in (2, 3) for i in range(6)
    ]  # fmt: skip


def calibrated(policy: str, tasks: list[Task], c: int) -> list:
    n, passed = ({task.task_id: value for task in tasks} for value in (8, c))
    return believe(policy, tasks, n, passed, group=8)


@pytest.fixture
def shop(bare, one_judge):
    """A hub policy and its child, which two campaigns have calibrated: one on rev and sort, one on inc."""
    with Store.open(bare, threads=1) as store:
        shop = Workshop(settings=Settings(home=bare), store=store, judge=one_judge, run="run")
        own, other = [*tasks_in("rev"), *tasks_in("sort")], tasks_in("inc")
        policies = [
            Policy(policy_id=name, name="hub", lineage="hub", parent=parent, stage_id=None, weights_hash="", path=name)
            for name, parent in (("hub" * 8, None), ("child" * 8, "hub" * 8))
        ]
        rows = [*own, *other, *policies]
        for policy in policies:
            rows += [*calibrated(policy.policy_id, own, 4), *calibrated(policy.policy_id, other, 6)]
        shop.commit(rows, batch="planted", purpose="planted")
        yield shop


@pytest.mark.parametrize("scheduler", ["frontier", "uniform"])
@pytest.mark.parametrize("policy", ["hub", "child"])
def test_a_plan_holds_the_campaigns_own_arms_whoever_else_calibrated_its_policy(shop, scheduler, policy):
    config = CONFIG.model_copy(update={"curriculum": CONFIG.curriculum.model_copy(update={"scheduler": scheduler})})
    wanted = {f"{family}/{level}/gradatim" for family in ("rev", "sort") for level in (2, 3)}
    assert set(propose(shop, config, policy * 8, previous=None).weights) == wanted
    assert set(plan_mixture(shop, config, policy * 8, campaign_id="c", index=0).weights) == wanted


def test_what_is_believed_of_an_arm_rests_on_the_campaigns_own_tasks(shop):
    own = [*tasks_in("rev"), *tasks_in("sort")]
    earlier = earlier_evidence(shop, CONFIG, "child" * 8)
    assert {one.arm.split("/")[0] for one in earlier} == {"rev", "sort"}
    alone = summarize([task.arm for task in own], [8] * 24, [4] * 24, group=8, earlier=earlier)
    assert arms_of(shop, CONFIG, "child" * 8) == alone
