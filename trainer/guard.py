"""Collapse detection inside a stage: fast detectors on training series and on a small canary, and what they stop."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback

from curriculum.actions import Decision, decide
from curriculum.detectors import Firing, History, Watch, by_arm, paired_gap
from curriculum.knobs import Settings
from trainer.config import GuardConfig, SamplingConfig, StageConfig
from trainer.recording import Owner, StepRecord, outcomes
from warehouse.records import Action, Alarm, AlarmLevel, Judgement, Record, Rollout, Task, content_hash

if TYPE_CHECKING:
    from trainer.grpo import CurriculumTrainer

Canary = Callable[[int], list[Rollout]]
"""Samples and judges the canary tasks under the policy as it is; takes the step within the stage."""

FAST = (
    "duplicates", "entropy_fall", "entropy_surge", "gradient", "hidden_tests", "infrastructure", "length",
    "pass_rate_gap", "staleness", "zero_variance",
)  # fmt: skip
"""Detectors that need nothing but training series and a canary; the others look between stages."""

SAMPLING = {
    "effective_sample_share": "effective_sample_share",
    "masked_share": "masked_share",
    "age/mean": "sample_age",
}
"""What is logged where rollouts are not the newest policy's, and its series: weights, and steps since they were new."""


class Guard(TrainerCallback):  # type: ignore[misc]
    """Looks every `every` steps, records alarms and actions, ends the stage or moves a knob that acts at a step.

    Entropy and reward are standardised by arm, so that a change of mixture alone moves nothing. With a canary,
    entropy and the change of its pass rate are measured on it, task by task against the stage's first look.
    """

    def __init__(
        self,
        config: GuardConfig,
        *,
        owner: Owner,
        tasks: Sequence[Task],
        stage: StageConfig,
        sampling: SamplingConfig,
        spool: Callable[[int, str, Sequence[Record]], None],
        canary: Canary | None = None,
        first_step: int = 0,
    ) -> None:
        self._config, self._owner, self._arms = config, owner, [task.arm for task in tasks]
        self._group, self._spool, self._first = stage.group_size, spool, first_step
        self._canary = canary
        self.settings = Settings(
            learning_rate=stage.learning_rate,
            entropy_coef=stage.entropy_coef,
            beta=stage.beta,
            temperature=sampling.temperature or 1.0,
            pass_k=stage.pass_k,
            max_completion_tokens=sampling.max_tokens,
            staleness=sampling.staleness,
            group=stage.group_size,
            updates_per_generation=stage.num_iterations,
        )
        self.history, self._watch = History(), Watch(FAST)
        self._window: list[StepRecord] = []
        self._norms: list[float] = []
        self._weights: dict[str, float] = {}
        self._start: dict[str, tuple[int, int]] = {}
        self._looked = False
        self._taken: list[str] = []
        self.trainer: CurriculumTrainer | None = None
        self.n_rollouts = 0
        self.reason: str | None = None

    def add(self, record: StepRecord) -> None:
        """Take in one step's samples."""
        self._window.append(record)

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if not self._looked:
            self._look_at_canary(0, state.global_step)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        if logs and isinstance(logs.get("grad_norm"), (int, float)):
            self._norms.append(float(logs["grad_norm"]))
        for logged, name in SAMPLING.items():
            if logs and isinstance(logs.get(f"sampling/{logged}"), (int, float)):
                self.history.add(name, state.global_step, float(logs[f"sampling/{logged}"]))

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        step = state.global_step - self._first
        if step % self._config.every or not self._window:
            return
        self.measure(step, state.global_step)
        self._answer(step, state.global_step, "alarms")
        if self.reason is not None:
            control.should_training_stop = control.should_save = True

    def diverged(self, step: int, moment: int) -> bool:
        """Answer a loss or gradient that is not a number; whether the stage ends by it. Never under `watch_only`."""
        self.history.add("grad_norm", moment, math.nan)
        self._answer(step, moment, "divergence")
        return self.reason is not None

    def _answer(self, step: int, moment: int, part: str) -> None:
        fired = self._watch.see(self.history, moment)
        decisions = decide(fired, self.settings, standing=self._watch.levels(), taken=self._taken)
        self._record(step, part, fired, decisions)
        if self._config.watch_only:
            return
        for decision in decisions:
            self._taken.append(decision.alarm)
            self._apply(decision)
            if decision.end_stage or decision.stop:
                self.reason = f"{decision.alarm}: {decision.action}"

    def measure(self, step: int, moment: int) -> None:
        """Add one look's values to the series, from the steps since the last one and from the canary."""
        samples = [sample for record in self._window for sample in record.samples]
        groups = [group for record in self._window for group in outcomes(record.samples, self._group) if group[1] >= 2]
        self._window = []
        entropy, reward = self._means(samples, "mean_entropy"), self._means(samples, "reward")
        if not self._weights:
            drawn = [self._arms[sample["position"]] for sample in samples]
            self._weights = {arm: drawn.count(arm) / len(drawn) for arm in set(drawn)}
        values = {
            "reward": by_arm(reward, self._weights),
            "hidden_pass_rate": by_arm(self._verified(samples), self._weights),
            "truncated_rate": _share(not sample["finished"] for sample in samples),
            "infra_rate": _share(not sample["judgement"].decided for sample in samples),
            "all_right": _share(c == n for _, n, c in groups),
            "all_wrong": _share(c == 0 for _, _, c in groups),
            "duplicate_rate": self._duplicates(samples),
        }
        if self._norms:
            values["grad_norm"] = _largest(self._norms)
        self._norms = []
        if self._canary is None:
            values["entropy"] = by_arm(entropy, self._weights)
        else:
            self._look_at_canary(step, moment)
        for name, value in values.items():
            self.history.add(name, moment, value)

    def _look_at_canary(self, step: int, moment: int) -> None:
        if self._canary is None:
            return
        self._looked = True
        rollouts = self._canary(step)
        self.n_rollouts += len(rollouts)
        self._spool(step, "canary", rollouts)
        counts: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
        for row in rollouts:
            if row.judgement.decided:
                n, c = counts[row.task_id]
                counts[row.task_id] = n + 1, c + (row.judgement is Judgement.PASS)
        if self._start:
            gap = paired_gap(counts, self._start)
            self.history.add("pass_rate_gap", moment, gap.gap)
            self.history.add("pass_rate_gap_se", moment, gap.se)
            self.history.add("pass_rate_gap_start_se", moment, gap.start_se)
        else:
            self._start = dict(counts)
        entropies = [row.mean_entropy for row in rollouts if row.mean_entropy is not None]
        self.history.add("entropy", moment, sum(entropies) / len(entropies) if entropies else math.nan)

    def _verified(self, samples: Sequence[Mapping[str, Any]]) -> dict[str, float]:
        """The share of each arm's decided samples that the verifier passed, whatever the reward made of it."""
        decided = [sample for sample in samples if sample["judgement"].decided]
        return self._means([{**s, "passed": s["judgement"] is Judgement.PASS} for s in decided], "passed")

    def _means(self, samples: Sequence[Mapping[str, Any]], name: str) -> dict[str, float]:
        values: dict[str, list[float]] = defaultdict(list)
        for sample in samples:
            if sample[name] is not None:
                values[self._arms[sample["position"]]].append(float(sample[name]))
        return {arm: sum(own) / len(own) for arm, own in values.items()}

    def _duplicates(self, samples: Sequence[Mapping[str, Any]]) -> float:
        """Share of wrong completions that repeat another wrong one of their group; right ones must agree."""
        wrong = repeated = 0
        for start in range(0, len(samples), self._group):
            texts = [
                _written(s)
                for s in samples[start : start + self._group]
                if s["reward"] is not None and s["judgement"] is not Judgement.PASS
            ]
            wrong += max(0, len(texts) - 1)
            repeated += len(texts) - len(set(texts))
        return repeated / wrong if wrong else math.nan

    def _apply(self, decision: Decision) -> None:
        self.settings = decision.settings
        if self.trainer is not None:
            self.trainer.set_knobs({knob: new for knob, (_, new) in decision.changes.items()})

    def _record(self, step: int, part: str, fired: Sequence[Firing], decisions: Sequence[Decision]) -> None:
        owner = self._owner
        identity = {f.detector: content_hash(owner.stage_id, owner.attempt, f.step, f.detector) for f in fired}
        alarms: list[Record] = [
            Alarm(
                alarm_id=identity[f.detector],
                owner=owner.stage_id,
                step=step,
                detector=f.detector,
                detector_version=f.version,
                level=AlarmLevel(f.level),
                inputs={**f.inputs, "value": f.value if math.isfinite(f.value) else None},
            )
            for f in fired
        ]
        actions: list[Record] = [
            Action(
                action_id=content_hash(identity[d.alarm], d.action),
                alarm_id=identity[d.alarm],
                owner=owner.stage_id,
                action=d.action,
                rule_version=d.rule_version,
                before=d.before(),
                after=d.after(),
                applied=not self._config.watch_only,
            )
            for d in decisions
        ]
        if alarms or actions:
            self._spool(step, part, [*alarms, *actions])


def _written(sample: Mapping[str, Any]) -> object:
    """What the policy wrote in a sample: its messages, or its completion where there was one turn."""
    said = tuple(turn["text"] for turn in sample["turns"] if turn["role"] == "assistant")
    return said or sample["completion"]


def _largest(norms: Sequence[float]) -> float:
    """The largest norm, or the first that is not a finite number."""
    return next((norm for norm in norms if not math.isfinite(norm)), max(norms))


def _share(flags: Any) -> float:
    found = list(flags)
    return sum(map(bool, found)) / len(found) if found else math.nan
