"""Collapse detection inside a stage: fast detectors on training series and on a small canary, and what they stop."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback

from curriculum.actions import Decision, decide
from curriculum.detectors import Firing, History, Watch, paired_gap
from curriculum.knobs import KNOBS, Scope, Settings
from curriculum.looks import moves
from trainer.config import GuardConfig
from trainer.recording import Owner, StepRecord
from trainer.window import Window
from warehouse.records import Action, Alarm, AlarmLevel, JsonValue, Judgement, Record, Rollout, Task, content_hash

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
        settings: Settings,
        spool: Callable[[int, str, Sequence[Record]], None],
        canary: Canary | None = None,
        first_step: int = 0,
    ) -> None:
        self._config, self._owner, self._spool, self._first = config, owner, spool, first_step
        self._canary = canary
        self.settings = self._configured = settings
        self.history, self._watch = History(), Watch(FAST)
        self._window = Window([task.arm for task in tasks], settings.group)
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
        self._window.add(record.samples)

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        at_step = {name for name, knob in KNOBS.items() if knob.scope == Scope.STEP}
        now, then = self.settings.model_dump(include=at_step), self._configured.model_dump(include=at_step)
        self._turn({name: float(value) for name, value in now.items() if value != then[name]})

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
        if step % self._config.every or self._window.empty:
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
        self._weights = self._weights or self._window.shares()
        values = self._window.values(self._weights)
        if self._norms:
            values["grad_norm"] = _largest(self._norms)
        self._norms = []
        if self._canary is None:
            values["entropy"] = self._window.entropy(self._weights)
        else:
            self._look_at_canary(step, moment)
        self._window.clear()
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

    def _apply(self, decision: Decision) -> None:
        self.settings = decision.settings
        self._turn({knob: new for knob, (_, new) in decision.changes.items()})

    def _turn(self, knobs: Mapping[str, float]) -> None:
        if knobs and self.trainer is not None:
            self.trainer.set_knobs(knobs)

    def state(self) -> dict[str, JsonValue]:
        """Knobs moved, alarms answered, latches, series, the canary's start and the steps since the last look."""
        return {
            "settings": self.settings.model_dump(),
            "taken": list(self._taken),
            "watch": self._watch.state(),
            "series": self.history.series(),
            "window": self._window.state(),
            "norms": list(self._norms),
            "weights": dict(self._weights),
            "start": {task: list(counts) for task, counts in self._start.items()},
            "looked": self._looked,
            "reason": self.reason,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned; knobs are turned when the training begins."""
        self.settings = Settings.model_validate(state["settings"])
        self._taken, self._looked, self.reason = list(state["taken"]), bool(state["looked"]), state["reason"]
        self._watch.restore(state["watch"])
        self.history = History.of(state["series"])
        self._window.restore(state["window"])
        self._norms, self._weights = list(state["norms"]), dict(state["weights"])
        self._start = {task: (int(n), int(c)) for task, (n, c) in state["start"].items()}

    def _record(self, step: int, part: str, fired: Sequence[Firing], decisions: Sequence[Decision]) -> None:
        owner = self._owner
        identity = {f.detector: content_hash(owner.stage_id, f.step, f.detector) for f in fired}
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
                applied=not self._config.watch_only and (moves(d) or d.end_stage),
            )
            for d in decisions
        ]
        if alarms or actions:
            self._spool(step, part, [*alarms, *actions])


def _largest(norms: Sequence[float]) -> float:
    """The largest norm, or the first that is not a finite number."""
    return next((norm for norm in norms if not math.isfinite(norm)), max(norms))
