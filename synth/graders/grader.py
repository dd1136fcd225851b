"""What a grader is: a protocol, the decorator that adds one, and what it reads and gives."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol, TypeVar, cast

from pydantic import BaseModel, ConfigDict

from synth.graders.judged import Judged
from synth.registry import Registry, defining_file
from warehouse.records import JsonValue, Task


class Kind(StrEnum):
    """What a grader looks at."""

    VERIFIER = "verifier"
    CONSTRAINT = "constraint"
    RUBRIC = "rubric"
    JUDGE = "judge"
    ANTI_CHEAT = "anti_cheat"


class Params(BaseModel):
    """A grader's own settings; a grader names its subclass as `Settings`."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One completion to grade, and what is known of it: the judge's word, its size and time, its turns."""

    task: Task
    completion: str
    judged: Judged
    truncated: bool = False
    n_tokens: int | None = None
    latency_s: float | None = None
    turns: tuple[Mapping[str, JsonValue], ...] = ()


@dataclass(frozen=True, slots=True)
class Grade:
    """A score in [0, 1], or `None` for *could not judge*; `cheat` voids the rollout.

    Along the axes cost, time and risk a score is how much of it there is (1 is worst); along quality 1 is best.
    """

    score: float | None
    cheat: bool = False
    detail: str = ""


class Referee(Protocol):
    """A model that graders ask, of a named lineage (family of weights)."""

    lineage: str

    def ask(self, prompts: Sequence[str]) -> Sequence[str]:
        """One reply for each prompt."""
        ...


class Grader(Protocol):
    """One way to grade completions; made from its parameters, pure but for its referee."""

    name: ClassVar[str]
    version: ClassVar[int]
    kind: ClassVar[Kind]
    Settings: ClassVar[type[Params]]

    def __init__(self, params: Params, referee: Referee | None) -> None: ...

    def grade(self, cases: Sequence[Case]) -> list[Grade]:
        """A grade for each case, in order."""
        ...


GraderClass = TypeVar("GraderClass", bound=type)


def _load_own_graders() -> None:
    import synth.graders.kinds as package

    for module in pkgutil.iter_modules(package.__path__, "synth.graders.kinds."):
        importlib.import_module(module.name)


GRADERS: Registry[type[Grader]] = Registry(
    "grader", group="gradatim.graders", see="gradatim graders list", load=_load_own_graders
)


def grader(name: str, *, version: int, kind: Kind) -> Callable[[GraderClass], GraderClass]:
    """Class decorator that registers a grader under `name`; a new `version` says that its scores may differ."""

    def register(cls: GraderClass) -> GraderClass:
        added = cast("type[Grader]", cls)
        added.name, added.version, added.kind = name, version, kind
        GRADERS.add(name, added, file=defining_file(cls))
        return cls

    return register
