"""What every detector is: a pure function of series that says how far a number is from its warn and critical levels."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from synth.registry import Registry, defining_file
from warehouse.records import AlarmLevel, JsonValue

FloatArray = npt.NDArray[np.float64]


class History:
    """Series by name: (step, value) pairs in order of steps; gaps are simply absent, NaN is kept."""

    def __init__(self, series: Mapping[str, Iterable[tuple[int, float]]] | None = None) -> None:
        self._steps: dict[str, list[int]] = {}
        self._values: dict[str, list[float]] = {}
        for name, pairs in (series or {}).items():
            for step, value in pairs:
                self.add(name, step, value)

    def add(self, name: str, step: int, value: float) -> None:
        """Append one value; a step seen before replaces its value and forgets what came after it (a roll-back)."""
        steps, values = self._steps.setdefault(name, []), self._values.setdefault(name, [])
        while steps and steps[-1] >= step:
            steps.pop()
            values.pop()
        steps.append(step)
        values.append(float(value))

    def series(self) -> dict[str, JsonValue]:
        """Every series as [step, value] pairs, from which `History.of` makes the same again."""
        return {
            name: [[step, value] for step, value in zip(steps, self._values[name], strict=True)]
            for name, steps in self._steps.items()
        }

    @classmethod
    def of(cls, series: Mapping[str, Any]) -> History:
        """A history from what `series` returned."""
        return cls({name: [(int(step), float(value)) for step, value in pairs] for name, pairs in series.items()})

    def has(self, *names: str) -> bool:
        """Whether every named series has at least one value."""
        return all(self._values.get(name) for name in names)

    def values(self, name: str) -> FloatArray:
        """All values of a series, NaN included; empty when there is none."""
        return np.asarray(self._values.get(name, []), dtype=np.float64)

    def together(self, first: str, second: str) -> tuple[FloatArray, FloatArray]:
        """The values of two series at the steps that both have, NaN included."""
        other = dict(zip(self._steps.get(second, []), self._values.get(second, []), strict=True))
        own = zip(self._steps.get(first, []), self._values.get(first, []), strict=True)
        pairs = [(value, other[step]) for step, value in own if step in other]
        x = np.asarray(pairs, dtype=np.float64).reshape(-1, 2)
        return x[:, 0], x[:, 1]

    def clean(self, name: str) -> FloatArray:
        """All finite values of a series."""
        x = self.values(name)
        return x[np.isfinite(x)]

    def last(self, name: str, n: int = 1) -> float:
        """Median of the last n finite values; NaN when there is none."""
        x = self.clean(name)
        return float(np.median(x[-n:])) if len(x) else float("nan")

    def first(self, name: str, n: int = 1) -> float:
        """Median of the first n finite values; NaN when there is none."""
        x = self.clean(name)
        return float(np.median(x[:n])) if len(x) else float("nan")

    def rise(self, name: str) -> dict[str, JsonValue]:
        """An alarm's input `NAME_rise`: the last finite value over the first; empty where that says nothing."""
        first, last = self.first(name), self.last(name)
        return {f"{name}_rise": last / first} if first > 0 else {}


class Reading(NamedTuple):
    """One measurement: `value` against the detector's levels, and what it saw. NaN: nothing to say yet."""

    value: float
    inputs: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Detector:
    """A measurement with its levels; larger is worse. `persist`: readings in a row that it takes to fire.

    Once fired it clears only under `clear` * level (hysteresis), and the same level does not fire again within
    `cool_down` steps. `evidence`: whether it may justify a roll-back or a stop by itself.
    """

    name: str
    version: str
    measure: Callable[[History], Reading]
    warn: float
    critical: float
    needs: tuple[str, ...]
    persist: int = 2
    clear: float = 0.8
    cool_down: int = 30
    evidence: bool = False

    def level(self, value: float) -> AlarmLevel:
        """The level that `value` alone would have."""
        if not np.isfinite(value):
            return AlarmLevel.CRITICAL if value == float("inf") else AlarmLevel.CLEAR
        if value >= self.critical:
            return AlarmLevel.CRITICAL
        return AlarmLevel.WARN if value >= self.warn else AlarmLevel.CLEAR


@dataclass(slots=True)
class Latch:
    """How a detector stands between two readings."""

    level: AlarmLevel = AlarmLevel.CLEAR
    above: dict[str, int] = field(default_factory=dict)
    fired_at: dict[str, int] = field(default_factory=dict)


class Firing(NamedTuple):
    """One alarm: detector, rule version, level, step, value and inputs."""

    detector: str
    version: str
    level: AlarmLevel
    step: int
    value: float
    inputs: Mapping[str, JsonValue]
    evidence: bool


class Measure(Protocol):
    """A function from series to a reading."""

    def __call__(self, history: History, /) -> Reading: ...


def _load_own() -> None:
    import curriculum.detectors as package

    for module in pkgutil.iter_modules(package.__path__, "curriculum.detectors."):
        importlib.import_module(module.name)


DETECTORS: Registry[Detector] = Registry(
    "detector", group="gradatim.detectors", see="gradatim watch --help", load=_load_own
)


def detector(
    name: str,
    *,
    version: str,
    warn: float,
    critical: float,
    needs: Sequence[str],
    persist: int = 2,
    clear: float = 0.8,
    cool_down: int = 30,
    evidence: bool = False,
) -> Callable[[Measure], Measure]:
    """Decorator that registers a measurement under `name` with its levels; larger readings are worse."""

    def register(measure: Measure) -> Measure:
        built = Detector(name, version, measure, warn, critical, tuple(needs), persist, clear, cool_down, evidence)
        DETECTORS.add(name, built, file=defining_file(measure))
        return measure

    return register


NOTHING = Reading(float("nan"), {})
"""Too little was seen to measure."""
