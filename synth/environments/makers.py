"""Makers of agent tasks: attempts that are run before they are tasks, and the evidence that admits them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from synth.environments.environment import ENVIRONMENTS
from synth.evidence import Check
from synth.proposals import Generator, Proposal, Request
from synth.registry import Registry
from synth.sandbox import Pool
from synth.tasks import OWN_LINEAGE
from warehouse.errors import UserError


@dataclass(frozen=True, slots=True)
class Maker:
    """What makes the tasks of one family of agent tasks.

    `proposals` gives the attempts of a request in order; the same request gives the same ones. `checks` are the
    evidence by which they are admitted.
    """

    name: str
    version: int
    levels: Sequence[int]
    proposals: Callable[[Request, Pool], Iterator[Proposal]]
    checks: Callable[[Pool], Sequence[Check]]

    @property
    def generator(self) -> Generator:
        """The generator that signs the attempts."""
        return Generator(self.name, "procedural", str(self.version), OWN_LINEAGE)

    def made(self, request: Request, pool: Pool) -> Iterator[Proposal]:
        """The attempts of a request; raises `UserError` for a level that there is not."""
        if request.level not in self.levels:
            levels = ", ".join(map(str, self.levels))
            raise UserError(f"'{self.name}' has no level {request.level}; levels: {levels}; see: gradatim synth --list")
        return self.proposals(request, pool)


def _load_own_makers() -> None:
    ENVIRONMENTS.names()


MAKERS: Registry[Maker] = Registry(
    "agent family", group="gradatim.agent_families", see="gradatim synth --list", load=_load_own_makers
)
