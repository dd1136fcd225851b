"""A package as its generator leaves it: modules, and the functions that tests call, each with an oracle of its own."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any

Build = Callable[[random.Random, int], "Blueprint"]


@dataclass(frozen=True, slots=True)
class Probe:
    """A function that tests call: `inputs` draws its arguments, `oracle` computes what it must return.

    The oracle shares no code with the package and reaches its answer another way where there is one.
    """

    module: str
    function: str
    inputs: Callable[[random.Random], tuple[Any, ...]]
    oracle: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Blueprint:
    """One package: its name, what it is about, its modules by name, and its probes."""

    package: str
    about: str
    modules: Mapping[str, str]
    probes: Sequence[Probe]

    def files(self) -> dict[str, str]:
        """The package's files by path."""
        made = {f"{self.package}/{name}.py": source for name, source in self.modules.items()}
        return {f"{self.package}/__init__.py": f'"""{self.about}"""\n', **made}


@dataclass(frozen=True, slots=True)
class Part:
    """One module of a domain, present from size `least` on; `$NAME` in its source is filled in."""

    name: str
    least: int
    source: str
    probes: Sequence[Probe] = ()


def assembled(package: str, about: str, parts: Sequence[Part], names: Mapping[str, object], size: int) -> Blueprint:
    """The blueprint of the parts that a size has; `$p` in a source is the package's name."""
    chosen = [part for part in parts if part.least <= size]
    filled = {part.name: Template(part.source.lstrip("\n")).substitute(names, p=package) for part in chosen}
    return Blueprint(package, about, filled, [probe for part in chosen for probe in part.probes])


def domains() -> dict[str, Build]:
    """The generators of packages by name; a size is 1 to 5."""
    from synth.environments.packages import agenda, billing, machine, terrain, wording

    return {module.__name__.rpartition(".")[2]: module.build for module in (agenda, billing, machine, terrain, wording)}
