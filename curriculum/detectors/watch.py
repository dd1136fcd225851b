"""Turns readings into alarms: persistence, hysteresis, cool-down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from curriculum.detectors.protocol import DETECTORS, Detector, Firing, History, Latch
from warehouse.records import AlarmLevel, JsonValue

_RANK = {AlarmLevel.CLEAR: 0, AlarmLevel.WARN: 1, AlarmLevel.CRITICAL: 2}


class Watch:
    """A state machine over detectors: `see` returns the alarms that are new at this step.

    `names` picks detectors (all by default); those whose series are absent stay silent. `persist` and `cool_down`
    bound those of the detectors, for series whose steps are further apart than a trainer's.
    """

    def __init__(
        self, names: Sequence[str] | None = None, *, persist: int | None = None, cool_down: int | None = None
    ) -> None:
        self._detectors: list[Detector] = [
            replace(
                found,
                persist=found.persist if persist is None else min(persist, found.persist),
                cool_down=found.cool_down if cool_down is None else min(cool_down, found.cool_down),
            )
            for found in (DETECTORS.get(n) for n in (names if names is not None else DETECTORS.names()))
        ]
        self._latches = {d.name: Latch() for d in self._detectors}

    def see(self, history: History, step: int) -> list[Firing]:
        """New alarms at `step`, and clearings; a level that goes on does not repeat within its cool-down."""
        fired = []
        for detector in self._detectors:
            if not history.has(*detector.needs):
                continue
            reading = detector.measure(history)
            level = self._moved(detector, reading.value, step)
            if level is not None:
                fired.append(
                    Firing(
                        detector.name, detector.version, level, step, reading.value, reading.inputs, detector.evidence
                    )
                )
        return fired

    def levels(self) -> dict[str, AlarmLevel]:
        """Each detector's standing level."""
        return {name: latch.level for name, latch in self._latches.items()}

    def _moved(self, detector: Detector, value: float, step: int) -> AlarmLevel | None:
        latch, now = self._latches[detector.name], detector.level(value)
        for level in (AlarmLevel.WARN, AlarmLevel.CRITICAL):
            run = latch.above.get(level.value, 0) + 1 if _RANK[now] >= _RANK[level] else 0
            latch.above[level.value] = detector.persist if value == float("inf") else run
        reached = max(
            (lv for lv in (AlarmLevel.WARN, AlarmLevel.CRITICAL) if latch.above[lv.value] >= detector.persist),
            key=_RANK.__getitem__,
            default=AlarmLevel.CLEAR,
        )
        if _RANK[reached] > _RANK[latch.level]:
            latch.level = reached
            return self._fire(detector, latch, reached, step)
        bar = detector.critical if latch.level == AlarmLevel.CRITICAL else detector.warn
        if latch.level != AlarmLevel.CLEAR and value < detector.clear * bar:
            latch.level = now
            return now if now == AlarmLevel.CLEAR else None
        if latch.level != AlarmLevel.CLEAR and reached == latch.level:
            return self._fire(detector, latch, reached, step)
        return None

    def _fire(self, detector: Detector, latch: Latch, level: AlarmLevel, step: int) -> AlarmLevel | None:
        last = latch.fired_at.get(level.value)
        if last is not None and step - last < detector.cool_down:
            return None
        latch.fired_at[level.value] = step
        return level

    def state(self) -> JsonValue:
        return {
            name: {"level": latch.level.value, "above": dict(latch.above), "fired_at": dict(latch.fired_at)}
            for name, latch in self._latches.items()
        }

    def restore(self, state: JsonValue) -> None:
        if not isinstance(state, Mapping):
            return
        for name, kept in state.items():
            if name in self._latches and isinstance(kept, Mapping):
                above, fired = kept["above"], kept["fired_at"]
                self._latches[name] = Latch(
                    AlarmLevel(str(kept["level"])),
                    {k: int(str(v)) for k, v in above.items()} if isinstance(above, Mapping) else {},
                    {k: int(str(v)) for k, v in fired.items()} if isinstance(fired, Mapping) else {},
                )
