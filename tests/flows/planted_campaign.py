"""Campaigns planted in a real warehouse, stage by stage, as the watch finds them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np

from curriculum.estimates import pass_at_k
from flows.campaign import CampaignConfig
from flows.steps.steering import Course
from flows.steps.watching import conclude, watch_stage
from flows.workshop import Workshop
from trainer.weights import weights_hash
from warehouse.records import (
    Action,
    Alarm,
    Domain,
    Evaluation,
    FinishReason,
    Judgement,
    Policy,
    Rollout,
    RolloutPurpose,
    RunStatus,
    Split,
    Stage,
    Status,
    StatusChange,
    Task,
)

CAMPAIGN = "c" * 8
LEVELS, TASKS, SAMPLES = 6, 12, 16
CONFIG = CampaignConfig.model_validate(
    {
        "synthesis": {"families": ["rev", "sort"]},
        "curriculum": {"n_stages": 4},
        "evaluation": {"n_tasks": 144},
        "stage": {"prompts_per_step": 4, "group_size": 8, "n_steps": 12},
    }
)
NAN = float("nan")


def tasks(split: Split) -> list[Task]:
    return [
        Task(
            task_id=f"{split}-{family}-{level}-{i}",
            domain=Domain.MATH,
            family=family,
            level=level,
            params={"seed": 0, "index": i},
            prompt=f"{family} {split} {level} {i}?",
            answer_kind="text",
            gold="x",
            split=split,
        )
        for family in ("rev", "sort")
        for level in range(2, 2 + LEVELS)
        for i in range(TASKS)
    ]


HELDOUT, TRAIN = tasks(Split.HELDOUT), tasks(Split.TRAIN)


@dataclass
class Planted:
    """A campaign whose stages are planted one by one."""

    shop: Workshop
    config: CampaignConfig = CONFIG
    names: dict[int, str] = field(default_factory=dict)

    def policy(self, name: str, parent: str | None, stage: str | None) -> Policy:
        folder = self.shop.home.checkpoints / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.safetensors").write_bytes(name.encode())
        return Policy(
            policy_id=name,
            name="pocket",
            lineage="pocket",
            parent=parent,
            stage_id=stage,
            weights_hash=weights_hash(folder),
            path=f"checkpoints/{name}",
        )

    def stage(self, index, rates, *, entropy=0.5, train=0.5, begins=None, reason=None, others=(), wrong=""):
        """Stage `index` (0: the start) and its evaluation; `rates` are pass rates of its held-out tasks."""
        name, stage = f"policy{index}", f"stage{index}"
        begins = begins or self.names.get(index - 1)
        rows = [*others]
        if index == 0:
            rows += [*HELDOUT, *TRAIN]
            rows += [StatusChange(task_id=t.task_id, status=Status.ACCEPTED, reason="ok") for t in (*HELDOUT, *TRAIN)]
            rows.append(self.policy(name, None, None))
        else:
            rows += [self.policy(name, begins, stage), *self.training(index, begins, train, wrong)]
            rows.append(
                Stage(
                    stage_id=stage,
                    campaign_id=CAMPAIGN,
                    stage_index=index,
                    kind="grpo",
                    status=RunStatus.FINISHED,
                    snapshot_id=1,
                    policy_in=begins,
                    policy_out=name,
                    config={},
                    code_version="1",
                    n_steps=12,
                    reason=reason,
                )
            )
        self.names[index] = name
        rows += self.evaluation(index, name, np.broadcast_to(rates, len(HELDOUT)), entropy)
        self.shop.commit(rows, batch=f"planted:{index}", purpose="planted")
        return name

    def evaluation(self, index, name, rates, entropy):
        rng = np.random.default_rng(index)
        c = rng.binomial(SAMPLES, rates)
        rows = [
            rollout(f"{name}-{t}-{s}", task, name, RolloutPurpose.EVAL, s < c[t], sample=s, completion=f"{s}")
            for t, task in enumerate(HELDOUT)
            for s in range(SAMPLES)
        ]
        found = {"pass@1": c.mean() / SAMPLES, "pass@8": pass_at_k(np.full(len(c), SAMPLES), c, 8).mean()}
        for metric, value in {**found, "entropy": entropy, "tokens": 5.0}.items():
            rows.append(
                Evaluation(
                    eval_id=f"e{index}",
                    policy_id=name,
                    protocol_hash="h",
                    campaign_id=CAMPAIGN,
                    stage_index=index,
                    group="all",
                    metric=metric,
                    value=float(value),
                    low=float(value),
                    high=float(value),
                    n=len(HELDOUT),
                    n_samples=SAMPLES,
                )
            )
        return rows

    def training(self, index, begins, rate, wrong):
        rng = np.random.default_rng(100 + index)
        rows = []
        for step, slot in itertools.product(range(12), range(4)):
            task = TRAIN[int(rng.integers(len(TRAIN)))]
            passed = rng.random(8) < rate
            rows += [
                rollout(
                    f"train-{index}-{step}-{slot}-{s}",
                    task,
                    begins,
                    RolloutPurpose.TRAIN,
                    passed[s],
                    sample=s,
                    completion=wrong or f"{s}",
                    stage_id=f"stage{index}",
                    step=step,
                    slot=slot,
                )
                for s in range(8)
            ]
        return rows

    def watch(self, index: int) -> Course:
        return watch_stage(self.shop, self.config, self.names[index], campaign_id=CAMPAIGN, index=index)

    def conclude(self, index: int) -> Course:
        return conclude(self.shop, self.config, self.names[index], campaign_id=CAMPAIGN, index=index)

    def alarms(self, level: str = "critical") -> list[tuple[int, str]]:
        rows = self.shop.store.read(Alarm, "owner = $c AND level = $level", {"c": CAMPAIGN, "level": level})
        return [(row.step, row.detector) for row in rows]

    def actions(self) -> list[Action]:
        return self.shop.store.read(Action, "owner = $c", {"c": CAMPAIGN})


def rollout(name, task, policy, purpose, passed, **places) -> Rollout:
    return Rollout(
        rollout_id=name,
        task_id=task.task_id,
        policy_id=policy,
        purpose=purpose,
        n_tokens=5,
        finish_reason=FinishReason.STOP,
        judgement=Judgement.PASS if passed else Judgement.WRONG,
        reward=float(passed),
        mean_entropy=0.5,
        **places,
    )


EVEN = np.full(len(HELDOUT), 0.25)
NARROW = np.where(np.arange(len(HELDOUT)) % 2, 0.8, 0.0)
"""Half of the tasks much better, the other half lost: pass@1 up, pass@8 down."""
