"""A style of writing tasks: what is asked of a model, and how its reply is read; added by decorator or entry point."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar

from synth.engines import Ask
from synth.registry import Registry, defining_file
from synth.sandbox import Test
from warehouse.records import Domain, JsonValue, Task


class Failure(NamedTuple):
    """An answer that failed: what was asked, what was written, what was right and what was said of it, where known."""

    prompt: str
    completion: str
    gold: str
    feedback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commission:
    """What one task is written from; a style says which parts it needs.

    `family`, `level` and `split` go to the task where the draft names none; `seed` varies what is asked.
    """

    seed: int = 0
    level: int = 0
    family: str | None = None
    parent: Task | None = None
    document: str | None = None
    failures: tuple[Failure, ...] = ()
    params: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A task as a model wrote it: nothing in it has been checked.

    `answer` is the gold of a math task under `answer_kind`. A code task (`answer_kind="program"`) has `entry`, the
    `program` that solves it and `tests`. `repairs` names what had to be mended before the reply could be read.
    """

    prompt: str
    answer: str | None = None
    answer_kind: str = "integer"
    reference: str | None = None
    entry: str | None = None
    program: str | None = None
    tests: tuple[Test, ...] = ()
    family: str | None = None
    level: int | None = None
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    repairs: tuple[str, ...] = ()


class Rejection(NamedTuple):
    """Why no task can be read from a reply, as the funnel counts it."""

    reason: str
    repairs: tuple[str, ...] = ()


class Style(Protocol):
    """One way to have a task written. `needs` names the fields of a commission that must be filled."""

    name: str
    version: int
    domain: Domain
    needs: tuple[str, ...]

    def ask(self, commission: Commission) -> Ask:
        """The question; the writer sets its `n` and `seed`."""

    def read(self, text: str, commission: Commission) -> Draft | Rejection:
        """What a reply says; never raises, whatever the text."""


StyleClass = TypeVar("StyleClass", bound=type)


def _load_own_styles() -> None:
    import synth.writers.styles as package

    for module in pkgutil.iter_modules(package.__path__, "synth.writers.styles."):
        importlib.import_module(module.name)


STYLES: Registry[Style] = Registry(
    "style", group="gradatim.styles", see="gradatim synth --list-styles", load=_load_own_styles
)


def style(
    name: str, *, version: int, domain: Domain = Domain.MATH, needs: tuple[str, ...] = ()
) -> Callable[[StyleClass], StyleClass]:
    """Class decorator that registers one instance of the class as the style `name`."""

    def register(cls: StyleClass) -> StyleClass:
        instance = cls()
        instance.name, instance.version, instance.domain, instance.needs = name, version, domain, needs
        STYLES.add(name, instance, file=defining_file(cls))
        return cls

    return register
