"""From one batch of judged completions to rows: rollouts, draws and the groups a scheduler learns from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from curriculum.schedulers import Draw
from synth.graders import Judged
from synth.graders.failures import cause_of_failure
from warehouse.records import DrawRecord, FinishReason, JsonValue, Judgement, Metric, Rollout, RolloutPurpose, Task
from warehouse.records import content_hash as identity

POLICY_STEP = "sampling/policy_step"
"""Among a rollout's parts: the optimizer steps behind the weights that wrote it."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose rows they are: the stage, which try of it, and the policy it trains."""

    stage_id: str
    attempt: int
    policy_id: str


@dataclass(slots=True)
class StepRecord:
    """What one generation batch leaves behind, in the order in which TRL judged it.

    `samples` are plain tuples so that processes can exchange them; entropies may arrive later.
    """

    step: int
    samples: list[dict[str, Any]] = field(default_factory=list)
    written: bool = False

    @property
    def lacks_entropy(self) -> bool:
        """Whether a sample came without its mean entropy."""
        return any(sample["mean_entropy"] is None for sample in self.samples)

    def fill_entropy(self, rows: Sequence[int], means: Sequence[float]) -> None:
        """Set the mean entropy of samples that came without one."""
        for row, mean in zip(rows, means, strict=True):
            if self.samples[row]["mean_entropy"] is None and math.isfinite(mean):
                self.samples[row]["mean_entropy"] = max(0.0, mean)


def sample_row(
    position: int,
    completion: str,
    n_tokens: int,
    word: Judged,
    *,
    finished: bool,
    entropy: float | None,
    latency: float,
    policy_step: int | None = None,
    turns: tuple[Mapping[str, JsonValue], ...] = (),
    cause: str | None = None,
) -> dict[str, Any]:
    """One sample as plain values; `policy_step` is the version of the weights where it was not the newest.

    An agent's sample has its `turns`; `cause` is why it failed where the judge's word does not say it.
    """
    version = {} if policy_step is None else {POLICY_STEP: policy_step}
    return {
        "position": position,
        "completion": completion,
        "n_tokens": n_tokens,
        "finished": finished,
        "mean_entropy": None if entropy is None or math.isnan(entropy) else entropy,
        "latency_s": latency,
        "judgement": word.judgement,
        "reward": word.reward,
        "parts": {**word.parts, **version},
        "cheats": tuple(word.cheats),
        "cause": cause or cause_of_failure(word),
        "turns": turns,
    }


def outcomes(samples: Sequence[Mapping[str, Any]], group_size: int) -> list[tuple[int, int, int]]:
    """(position, n, c) of every group in order: decided rollouts without cheats, and passes among them."""
    groups = []
    for start in range(0, len(samples), group_size):
        group = samples[start : start + group_size]
        counted = [s for s in group if s["judgement"].decided and not s["cheats"]]
        passed = sum(s["judgement"] is Judgement.PASS for s in counted)
        groups.append((int(group[0]["position"]), len(counted), passed))
    return groups


def rollout_rows(owner: Owner, record: StepRecord, tasks: Sequence[Task], group_size: int) -> list[Rollout]:
    """Rollouts of one batch; slot and sample follow from the order."""
    rows = []
    for index, sample in enumerate(record.samples):
        slot, place = divmod(index, group_size)
        rows.append(
            Rollout(
                rollout_id=identity(owner.stage_id, owner.attempt, record.step, slot, place),
                task_id=tasks[sample["position"]].task_id,
                policy_id=owner.policy_id,
                purpose=RolloutPurpose.TRAIN,
                stage_id=owner.stage_id,
                stage_attempt=owner.attempt,
                step=record.step,
                slot=slot,
                sample=place,
                completion=sample["completion"],
                turns=sample["turns"],
                n_tokens=sample["n_tokens"],
                latency_s=sample["latency_s"],
                finish_reason=FinishReason.STOP if sample["finished"] else FinishReason.LENGTH,
                mean_entropy=sample["mean_entropy"],
                judgement=sample["judgement"],
                reward=sample["reward"],
                parts=sample["parts"],
                cheats=sample["cheats"],
                cause=sample["cause"],
            )
        )
    return rows


def draw_rows(owner: Owner, step: int, draws: Sequence[Draw], tasks: Sequence[Task]) -> list[DrawRecord]:
    """The draws of one step; a scheduler that predicts nothing leaves P(mixed) at 0."""
    return [
        DrawRecord(
            stage_id=owner.stage_id,
            stage_attempt=owner.attempt,
            step=step,
            slot=slot,
            task_id=tasks[draw.position].task_id,
            p_mixed=draw.p_mixed if math.isfinite(draw.p_mixed) else 0.0,
            score=draw.score if math.isfinite(draw.score) else 0.0,
            reason=draw.reason,
        )
        for slot, draw in enumerate(draws)
    ]


def metric_rows(owner: Owner, step: int, values: Mapping[str, JsonValue]) -> list[Metric]:
    """Every number of TRL's log as a row; `None` there means NaN, which is stored and not hidden."""
    numbers = {
        name: math.nan if value is None else float(value)
        for name, value in values.items()
        if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))
    }
    return [
        Metric(owner=owner.stage_id, attempt=owner.attempt, step=step, name=name, value=value)
        for name, value in numbers.items()
    ]
