"""What the sandbox says of one program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from warehouse.records import Judgement


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict on one program and what it rests on.

    `reward` is 1.0 for `PASS`, `None` exactly for `INFRA`, else 0.0. `passed` of `total` tests passed; tests
    after a death of the process are not run and count as not passed. `detail` names inputs and expected
    values and is for people; `model_safe_detail` holds nothing that a hidden test or the program said.
    """

    verdict: Judgement
    reward: float | None
    passed: int
    total: int
    cpu_s: float
    detail: str
    model_safe_detail: str


@dataclass(frozen=True, slots=True)
class Output:
    """What one call gave: a value, or the name and message of what it raised."""

    value: Any = None
    raised: str | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a trusted program gave for a list of calls.

    `verdict` is `PASS` when every call gave a value; `outputs` then has one entry for each call, else one for
    each call up to the end of the process.
    """

    verdict: Judgement
    outputs: tuple[Output, ...]
    cpu_s: float
    detail: str

    @property
    def values(self) -> list[Any]:
        """The values in the order of the calls; those of calls that raised are `None`."""
        return [output.value for output in self.outputs]
