"""Environments: the protocol, the decorator that adds one, and the rules that a rollout must keep."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol, TypeVar, cast

from synth.environments.tools import Tool
from synth.graders.judged import Judged
from synth.registry import Registry, defining_file
from synth.sandbox import Pool
from warehouse.records import Task


class Environment(Protocol):
    """The state that one episode of one task lives in, and the tools that act on it.

    The state follows from the task alone, so that a replay of the same calls gives the same observations. What is
    graded is the submission applied to a pristine copy, never this state.
    """

    name: ClassVar[str]
    version: ClassVar[int]

    def reset(self, task: Task) -> str:
        """Begins anew and gives the first observation."""

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools of this task, `submit` apart."""

    def submission(self) -> str:
        """What the policy hands in when it submits now: text, from which alone it is graded."""

    def close(self) -> None:
        """Lets go of what the episode held; called once it has ended."""

    @classmethod
    def grade(cls, task: Task, submission: str, pool: Pool) -> Judged:
        """The word on a submission, by a pristine copy of the task."""


EnvironmentClass = TypeVar("EnvironmentClass", bound=type)


def _load_own_environments() -> None:
    import synth.environments as package

    for module in pkgutil.walk_packages(package.__path__, "synth.environments."):
        importlib.import_module(module.name)


class EnvironmentKind(Protocol):
    """A class of environments: called with a sandbox for its tools, it gives one episode's environment."""

    def __call__(self, pool: Pool) -> Environment: ...

    def grade(self, task: Task, submission: str, pool: Pool) -> Judged: ...


ENVIRONMENTS: Registry[EnvironmentKind] = Registry(
    "environment", group="gradatim.environments", see="gradatim synth --list", load=_load_own_environments
)
"""Classes of environments; an instance is made for each episode, with the sandbox that its tools run programs in."""


def environment(name: str, *, version: int) -> Callable[[EnvironmentClass], EnvironmentClass]:
    """Class decorator that registers an environment under the name that tasks carry as `params["environment"]`."""

    def register(cls: EnvironmentClass) -> EnvironmentClass:
        cls.name, cls.version = name, version  # type: ignore[attr-defined]
        ENVIRONMENTS.add(name, cast(EnvironmentKind, cls), file=defining_file(cls))
        return cls

    return register
