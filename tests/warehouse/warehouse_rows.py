"""Rows that the warehouse's tests write."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from warehouse.records import (
    Attempt,
    AttemptOutcome,
    Bucket,
    Calibration,
    Domain,
    DrawRecord,
    Evaluation,
    FinishReason,
    Judgement,
    Mixture,
    Outcome,
    Policy,
    Record,
    Rollout,
    RolloutPurpose,
    Run,
    RunStatus,
    Source,
    Split,
    Stage,
    Status,
    StatusChange,
    Task,
    Verdict,
)

START = datetime(2026, 1, 1, tzinfo=UTC)


def task(i: int, **changes: Any) -> Task:
    """The i-th task of a family `rev`."""
    fields: dict[str, Any] = {
        "task_id": f"t{i}",
        "domain": Domain.MATH,
        "family": "rev",
        "level": 2 + i % 3,
        "params": {"seed": 0, "index": i},
        "prompt": f"rev w{i}?",
        "answer_kind": "text",
        "gold": f"{i}w",
    }
    return Task(**{**fields, **changes})


def status(i: int, word: Status = Status.ACCEPTED, reason: str = "evidence") -> StatusChange:
    return StatusChange(task_id=f"t{i}", status=word, reason=reason)


def policy(name: str = "p0", **changes: Any) -> Policy:
    fields: dict[str, Any] = {
        "policy_id": name,
        "name": "pocket",
        "lineage": "pocket",
        "weights_hash": name,
        "path": f"checkpoints/{name}",
    }
    return Policy(**{**fields, **changes})


def rollout(i: int, *, task_id: str = "t0", policy_id: str = "p0", passed: bool = True, **changes: Any) -> Rollout:
    fields: dict[str, Any] = {
        "rollout_id": f"r{i}",
        "task_id": task_id,
        "policy_id": policy_id,
        "purpose": RolloutPurpose.PROBE,
        "sample": i,
        "completion": f"c{i}",
        "n_tokens": 3,
        "finish_reason": FinishReason.STOP,
        "judgement": Judgement.PASS if passed else Judgement.WRONG,
        "reward": 1.0 if passed else 0.0,
        "parts": {"right": 1.0 if passed else 0.0},
    }
    return Rollout(**{**fields, **changes})


def attempt(i: int, **changes: Any) -> Attempt:
    fields: dict[str, Any] = {
        "attempt_id": f"a{i}",
        "campaign_id": "c0",
        "generator": "rev",
        "generator_kind": "procedural",
        "generator_version": "1",
        "generator_lineage": "gradatim",
        "seed": 0,
        "index": i,
        "task_id": f"t{i}",
        "outcome": AttemptOutcome.ADMITTED,
        "cost": 0.5,
    }
    return Attempt(**{**fields, **changes})


def verdict(i: int, outcome: Outcome = Outcome.PASS, check: str = "gold", **changes: Any) -> Verdict:
    fields: dict[str, Any] = {
        "task_id": f"t{i}",
        "check": check,
        "verifier": "second program",
        "verifier_version": "1",
        "verifier_lineage": "sympy",
        "outcome": outcome,
        "cost": 0.1,
    }
    return Verdict(**{**fields, **changes})


def calibration(
    i: int, *, policy_id: str = "p0", n: int = 8, c: int = 4, bucket: Bucket = Bucket.FRONTIER
) -> Calibration:
    mean = (c + 0.5) / (n + 1)
    return Calibration(
        task_id=f"t{i}",
        policy_id=policy_id,
        arm=f"rev/{2 + i % 3}/gradatim",
        n=n,
        c=c,
        alpha=c + 0.5,
        beta=n - c + 0.5,
        mean=mean,
        low=max(0.0, mean - 0.2),
        high=min(1.0, mean + 0.2),
        p_mixed=4 * mean * (1 - mean) * 0.9,
        variance=mean * (1 - mean),
        bucket=bucket,
    )


def evaluation(policy_id: str, **changes: Any) -> Evaluation:
    fields: dict[str, Any] = {
        "eval_id": f"e-{policy_id}",
        "policy_id": policy_id,
        "protocol_hash": "h",
        "campaign_id": "c0",
        "stage_index": 0,
        "group": "all",
        "metric": "pass@1",
        "value": 0.5,
        "low": 0.4,
        "high": 0.6,
        "n": 1,
        "n_samples": 1,
    }
    return Evaluation(**{**fields, **changes})


def campaign() -> list[Record]:
    """A small campaign over every table: 12 tasks, two policies, one stage, one evaluation each."""
    rows: list[Record] = [Source(source="corpus", revision="1", licence="MIT", n_rows=2, sha256="0" * 64)]
    splits = [Split.TRAIN] * 9 + [Split.CANARY] + [Split.HELDOUT] * 2
    for i, split in enumerate(splits):
        rows.append(
            task(
                i,
                split=split,
                hidden_tests="[1]" if i == 0 else None,
                parents=("t0",) if i == 1 else (),
                source="corpus" if i in (7, 8) else "gradatim",
            )
        )
        rows += [attempt(i), verdict(i), verdict(i, check="dedup"), status(i)]
    rows.append(
        attempt(
            20, task_id=None, outcome=AttemptOutcome.REJECTED, reason="duplicate", kept_task_id="t0", similarity=0.97
        )
    )
    rows.append(attempt(21, task_id=None, outcome=AttemptOutcome.REJECTED, reason="contaminated"))
    rows.append(verdict(3, Outcome.FAIL, check="audit"))
    rows.append(verdict(4, Outcome.FAIL, check="contamination", evidence={"benchmark": "gsm8k", "similarity": 0.9}))
    rows.append(verdict(4, Outcome.UNDECIDED, check="independent"))
    rows.append(verdict(3, Outcome.FAIL, check="review", verifier="ada", verifier_version="task"))
    rows += [policy("p0"), policy("p1", parent="p0", stage_id="s1")]
    rows.append(
        Mixture(
            mixture_id="m1",
            campaign_id="c0",
            stage_index=1,
            policy_id="p0",
            snapshot_id=1,
            scheduler="frontier",
            config_hash="h",
            weights={"rev/2/gradatim": 0.75, "rev/3/gradatim": 0.25},
        )
    )
    rows.append(
        Stage(
            stage_id="s1",
            campaign_id="c0",
            stage_index=1,
            kind="grpo",
            status=RunStatus.FINISHED,
            mixture_id="m1",
            snapshot_id=1,
            policy_in="p0",
            policy_out="p1",
            config={"lr": 3e-4},
            code_version="1",
            n_steps=2,
            n_rollouts=8,
            duration_s=1.5,
        )
    )
    rows.append(
        Run(
            run="run1",
            campaign_id="c0",
            flow="run_campaign",
            status=RunStatus.FINISHED,
            config={},
            code_version="1",
            started_at=START,
            finished_at=START + timedelta(minutes=1),
            cpu_s=50.0,
        )
    )
    n = 0
    for which, name in enumerate(("p0", "p1")):
        for i in range(12):
            rows.append(calibration(i, policy_id=name, c=4 + which, bucket=Bucket.FRONTIER if i % 2 else Bucket.EASY))
            for sample in range(4):
                passed = sample < 2 + which and not (which and i == 5)
                judged = {"parts": {"right": 1.0, "short": 0.0}} if i == 2 and passed else {}
                rows.append(
                    rollout(
                        n,
                        task_id=f"t{i}",
                        policy_id=name,
                        passed=passed,
                        sample=sample,
                        purpose=RolloutPurpose.EVAL,
                        **judged,
                    )
                )
                n += 1
        for metric, value in (("pass@1", 0.4 + 0.2 * which), ("pass@8", 0.6 + 0.1 * which)):
            rows.append(
                Evaluation(
                    eval_id=f"e{which}",
                    policy_id=name,
                    protocol_hash="ph",
                    campaign_id="c0",
                    stage_index=which,
                    group="all",
                    metric=metric,
                    value=value,
                    low=value - 0.1,
                    high=value + 0.1,
                    n=12,
                    n_samples=4,
                )
            )
    for step in range(2):
        for slot in range(2):
            rows.append(
                DrawRecord(
                    stage_id="s1",
                    stage_attempt=0,
                    step=step,
                    slot=slot,
                    task_id=f"t{step * 2 + slot}",
                    p_mixed=0.8,
                    score=1.0,
                    reason="frontier",
                )
            )
            for sample in range(2):
                rows.append(
                    rollout(
                        n,
                        task_id=f"t{step * 2 + slot}",
                        passed=bool(sample),
                        sample=sample,
                        purpose=RolloutPurpose.TRAIN,
                        stage_id="s1",
                        step=step,
                        slot=slot,
                    )
                )
                n += 1
    rows.append(rollout(n, judgement=Judgement.INFRA, reward=None))
    return rows
