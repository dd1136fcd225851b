"""Rows of a small made-up campaign with a baseline, hostile texts included."""

import random
from datetime import UTC, datetime, timedelta

from warehouse.records import (
    Action,
    Alarm,
    AlarmLevel,
    Attempt,
    AttemptOutcome,
    Bucket,
    Calibration,
    Domain,
    DrawRecord,
    Evaluation,
    FinishReason,
    Judgement,
    Metric,
    Mixture,
    Policy,
    Rollout,
    RolloutPurpose,
    Run,
    RunStatus,
    Split,
    Stage,
    Status,
    StatusChange,
    Task,
)

HOSTILE = '</script><img src=x onerror=alert(1)> & "quoted" <b>bold</b> {{ 7 * 7 }}'
FAMILIES = ("rev", "sort", "inc", "add", "tally", "max", "lin", "cut")
LEVELS = range(2, 10)
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def campaign_rows(campaign="campaign0", *, scheduler="frontier", speed=0.05, n_stages=3, seed=0):
    """One arm's rows; both arms share the tasks and the first policy."""
    rng = random.Random(seed)
    tasks = [task(family, level, n) for family in FAMILIES for level in LEVELS for n in range(2)]
    rows = [*tasks, *[StatusChange(task_id=t.task_id, status=Status.ACCEPTED, reason="evidence") for t in tasks]]
    rows += attempts(campaign, tasks)
    arms = sorted({t.arm for t in tasks})
    policies = [f"{campaign}-p{n}" for n in range(n_stages + 1)]
    rows.append(policy(policies[0], None, None))
    rows += evaluations(campaign, policies[0], 0, speed, rng)
    rows += [calibration(t, policies[0], rng) for t in tasks]
    for stage in range(1, n_stages + 1):
        plan, name = f"{campaign}-m{stage}", f"{campaign}-s{stage}"
        weights = [rng.random() ** (4 / stage) + 0.01 for _ in arms]
        rows.append(
            Mixture(
                mixture_id=plan, campaign_id=campaign, stage_index=stage, policy_id=policies[stage - 1], snapshot_id=1,
                scheduler=scheduler, config_hash="c" * 32, kl=0.12 * stage,
                weights={arm: w / sum(weights) for arm, w in zip(arms, weights, strict=True)},
                diff={arms[0]: {"before": 0.1, "after": 0.2, "why": HOSTILE}},
            )
        )  # fmt: skip
        rows.append(
            Stage(
                stage_id=name, campaign_id=campaign, stage_index=stage, kind="grpo", status=RunStatus.FINISHED,
                mixture_id=plan, snapshot_id=stage, policy_in=policies[stage - 1], policy_out=policies[stage],
                config={}, code_version="gradatim 0.1.0", n_steps=40, n_rollouts=5120, duration_s=61.5,
            )
        )  # fmt: skip
        rows.append(policy(policies[stage], policies[stage - 1], name))
        rows += evaluations(campaign, policies[stage], stage, speed, rng)
        rows += [point for step in range(40) for point in points(name, stage, step, speed, rng)]
        rows += groups(name, policies[stage - 1], rng.sample(tasks, 12), rng)
    for place, name in ((0, policies[0]), (1, policies[-1])):
        rows += samples(name, tasks[::2], round(place * 40 * speed))
    if scheduler == "frontier":
        rows += trouble(campaign)
    run = Run(
        run=f"run-{campaign}", campaign_id=campaign, flow="run_campaign", status=RunStatus.FINISHED,
        config={"name": f"pocket {HOSTILE}", "seed": 0, "curriculum": {"scheduler": scheduler}},
        code_version="gradatim 0.1.0", started_at=START, finished_at=START + timedelta(minutes=9), cpu_s=812.0,
    )  # fmt: skip
    return [*rows, run]


def task(family, level, n):
    letters = random.Random(f"{family}{level}{n}")
    word = "".join(letters.choice("abcdefgh") for _ in range(level))
    text = HOSTILE if (family, level, n) == ("rev", 5, 0) else word
    return Task(
        task_id=f"{family}-{level}-{n}", domain=Domain.MATH, family=family, level=level, params={"index": n},
        prompt=f"{family} {text}?", answer_kind="text", gold=word[::-1], split=Split.TRAIN,
    )  # fmt: skip


def attempts(campaign, tasks):
    rows = []
    for index, made in enumerate(tasks):
        shared = {
            "campaign_id": campaign, "generator": made.family, "generator_kind": "procedural", "seed": 0,
            "index": index,
            "generator_version": "1", "generator_lineage": "gradatim", "cost": 0.01,
        }  # fmt: skip
        rows.append(
            Attempt(attempt_id=f"{campaign}-a{index}", task_id=made.task_id, outcome=AttemptOutcome.ADMITTED, **shared)
        )
        if index % 3 == 0:
            reason = ("duplicate: near", "null_probe: guessable", HOSTILE)[index // 3 % 3]
            rows.append(
                Attempt(attempt_id=f"{campaign}-r{index}", outcome=AttemptOutcome.REJECTED, reason=reason, **shared)
            )
    return rows


def policy(policy_id, parent, stage_id):
    return Policy(
        policy_id=policy_id, name="pocket", lineage="pocket", parent=parent, stage_id=stage_id, weights_hash="f" * 64,
        path=f"checkpoints/{policy_id}", n_parameters=400_000,
    )  # fmt: skip


def evaluations(campaign, policy_id, stage, speed, rng):
    rows = []

    def add(group, metric, value, n, width=0.04, top=1.0):
        value = min(max(value, 0.0), top)
        rows.append(
            Evaluation(
                eval_id=f"{policy_id}-eval", policy_id=policy_id, protocol_hash="e" * 32, campaign_id=campaign,
                stage_index=stage, group=group, metric=metric, value=value, low=max(0.0, value - width),
                high=min(top, value + width), n=n, n_samples=16,
            )
        )  # fmt: skip

    add("all", "pass@1", 0.38 + 4 * speed * stage / 3, 256)
    add("all", "pass@8", 0.62 + 2 * speed * stage / 3, 256)
    add("all", "entropy", 0.55 - speed * stage, 256, 0.02, 9)
    add("all", "tokens", 6.1 - 0.1 * stage, 256, 0.2, 99)
    for place, family in enumerate(FAMILIES):
        gain = speed * stage * (place - 1) / 2
        add(f"family:{family}", "pass@1", 0.35 + gain, 32, 0.07)
        add(f"family:{family}", "pass@8", 0.6 + gain, 32, 0.07)
        for level in LEVELS:
            add(f"arm:{family}/{level}/gradatim", "pass@1", 1.1 - 0.13 * level + gain + 0.05 * rng.random(), 4, 0.2)
    return rows


def calibration(made, policy_id, rng):
    n, c = 8, rng.randint(0, 8)
    mean = (c + 1) / (n + 2)
    return Calibration(
        task_id=made.task_id, policy_id=policy_id, arm=made.arm, n=n, c=c, alpha=c + 1.0, beta=n - c + 1.0, mean=mean,
        low=max(0.0, mean - 0.2), high=min(1.0, mean + 0.2), p_mixed=1 - mean**8 - (1 - mean) ** 8,
        variance=mean * (1 - mean), bucket=Bucket.FRONTIER,
    )  # fmt: skip


def points(owner, stage, step, speed, rng):
    at = stage - 1 + step / 40
    return [
        Metric(owner=owner, step=step, name="reward", value=0.4 + speed * at + rng.gauss(0, 0.05)),
        Metric(owner=owner, step=step, name="entropy", value=0.55 - speed * at + rng.gauss(0, 0.02)),
        Metric(owner=owner, step=step, name="grad_norm", value=float("nan")),
    ]


def groups(stage_id, policy_id, tasks, rng):
    rows = []
    for slot, made in enumerate(tasks):
        rows.append(
            DrawRecord(
                stage_id=stage_id, stage_attempt=0, step=39, slot=slot, task_id=made.task_id, p_mixed=0.9, score=0.4,
                reason="frontier",
            )
        )  # fmt: skip
        for sample in range(8):
            passed = rng.random() < 0.5
            rows.append(
                Rollout(
                    rollout_id=f"{stage_id}-{slot}-{sample}", task_id=made.task_id, policy_id=policy_id, step=39,
                    purpose=RolloutPurpose.TRAIN, stage_id=stage_id, slot=slot, sample=sample, n_tokens=6,
                    completion=made.gold if passed else HOSTILE, finish_reason=FinishReason.STOP, mean_entropy=0.4,
                    judgement=Judgement.PASS if passed else Judgement.WRONG, reward=float(passed),
                )
            )  # fmt: skip
    return rows


def samples(policy_id, tasks, gain):
    """Eight evaluation rollouts a task; `gain` of them more pass than the start's."""
    return [
        Rollout(
            rollout_id=f"{policy_id}-eval-{place}-{sample}", task_id=made.task_id, policy_id=policy_id, step=0,
            purpose=RolloutPurpose.EVAL, slot=place, sample=sample, n_tokens=6, completion=made.gold,
            finish_reason=FinishReason.STOP, mean_entropy=0.4, reward=0.0, protocol_hash="e" * 32,
            judgement=Judgement.PASS if sample < place % 5 + gain else Judgement.WRONG,
        )
        for place, made in enumerate(tasks)
        for sample in range(8)
    ]  # fmt: skip


def trouble(campaign):
    stage_id = f"{campaign}-s2"
    alarm = {"owner": stage_id, "detector_version": "1"}
    return [
        Alarm(
            alarm_id="a1", step=10, detector="zero_variance_all_right", level=AlarmLevel.WARN, inputs={"x": HOSTILE},
            **alarm,
        ),
        Alarm(alarm_id="a2", step=25, detector="pass_rate_below_prediction", level=AlarmLevel.CRITICAL, **alarm),
        Alarm(alarm_id="a3", step=30, detector="entropy_half_life", level=AlarmLevel.CLEAR, **alarm),
        Alarm(
            alarm_id="a4", owner=campaign, step=2, detector="forgetting", detector_version="2", level=AlarmLevel.WARN,
            inputs={"arm": "rev/3/gradatim", "high": -0.106, "value": 0.106, "worst": -0.223},
        ),
        Alarm(
            alarm_id="a5", owner=campaign, step=3, detector="forgetting", detector_version="2", level=AlarmLevel.CLEAR,
            inputs={"arm": "sort/5/gradatim"},
        ),
        Action(
            action_id="b1", alarm_id="a2", owner=stage_id, action="rollback_and_halve_rate", rule_version="1",
            before={"learning_rate": 3e-4}, after={"learning_rate": 1.5e-4}, effect={"pass@1": 0.04},
        ),
    ]  # fmt: skip
