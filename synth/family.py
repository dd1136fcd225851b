"""Task families: the protocol, the decorator that adds one, and the item it makes."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from synth.registry import Registry, defining_file
from synth.sandbox import Test
from warehouse.records import Domain, JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What a family makes for one (seed, index, level): a prompt and how to judge an answer to it.

    Math items carry `gold` under `answer_kind`; code items (`answer_kind="program"`) carry `entry`,
    `scaffold` and tests. `reference` is a right completion, used as demonstration and as evidence.
    """

    prompt: str
    answer_kind: str
    reference: str
    gold: str | None = None
    entry: str | None = None
    scaffold: str | None = None
    tests: tuple[Test, ...] = ()
    hidden_tests: tuple[Test, ...] = ()
    params: Mapping[str, JsonValue] = field(default_factory=dict)


class Family(Protocol):
    """A generator of verifiable tasks with levels and an independent check.

    `generate` depends on `rng` and `level` alone. `solve` answers the prompt by a *second* algorithm
    that shares no code with `generate` and reads only what the policy reads (the prompt, and for code
    the visible tests); it returns a completion, or `None` when it cannot tell.
    """

    name: str
    version: int
    domain: Domain
    levels: Sequence[int]
    pocket: bool

    def generate(self, rng: random.Random, level: int) -> Item: ...

    def solve(self, item: Item) -> str | None: ...


FamilyClass = TypeVar("FamilyClass", bound=type)


def _load_own_families() -> None:
    import synth.families as package

    for module in pkgutil.walk_packages(package.__path__, "synth.families."):
        importlib.import_module(module.name)


FAMILIES: Registry[Family] = Registry(
    "family", group="gradatim.families", see="gradatim synth --list", load=_load_own_families
)


def family(
    name: str, *, version: int, domain: Domain, levels: Sequence[int], pocket: bool = False
) -> Callable[[FamilyClass], FamilyClass]:
    """Class decorator that registers one instance of the class as the family `name`.

    `pocket` says that prompts and answers fit the pocket policy's alphabet and context.
    """

    def register(cls: FamilyClass) -> FamilyClass:
        instance = cls()
        instance.name, instance.version, instance.domain = name, version, domain
        instance.levels, instance.pocket = tuple(levels), pocket
        FAMILIES.add(name, instance, file=defining_file(cls))
        return cls

    return register
