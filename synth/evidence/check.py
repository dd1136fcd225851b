"""One evidence check: the protocol, the decorator that adds one, what it examines and what it finds."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar

from synth.family import Family, Item
from synth.lineage import same_lineage
from synth.registry import Registry, defining_file
from synth.sandbox import Test
from warehouse.errors import UserError
from warehouse.records import JsonValue, Judgement, Outcome, Task


@dataclass(frozen=True, slots=True)
class Subject:
    """A task under examination with the item it was made from, and its family where it has one."""

    task: Task
    item: Item
    family: Family | None = None

    @property
    def graded(self) -> tuple[Test, ...]:
        """Every test that decides, visible ones first."""
        return self.item.tests + self.item.hidden_tests


class Finding(NamedTuple):
    """What one check says of one subject: three-valued, with a reason unless it passed, and what was seen.

    `quarantine` sets the task aside instead of rejecting it: it may yet turn out to be right.
    """

    outcome: Outcome
    reason: str | None = None
    evidence: Mapping[str, JsonValue] = {}
    quarantine: bool = False


PASSED = Finding(Outcome.PASS)


def failed(reason: str, **evidence: JsonValue) -> Finding:
    """A finding against the task."""
    return Finding(Outcome.FAIL, reason, evidence)


def undecided(reason: str, **evidence: JsonValue) -> Finding:
    """A finding that the check could not be made; such a task is not admitted."""
    return Finding(Outcome.UNDECIDED, reason, evidence, quarantine=True)


def quarantined(reason: str, **evidence: JsonValue) -> Finding:
    """A finding against the task's judge rather than the task."""
    return Finding(Outcome.FAIL, reason, evidence, quarantine=True)


class Bench(Protocol):
    """What checks may execute with; programs run in the sandbox, in batches.

    `trusted` says that our own families wrote the completions, so that they may share an execution.
    """

    def judge(
        self,
        tasks: Sequence[Task],
        completions: Sequence[str],
        *,
        trusted: bool = False,
        replays: int = 0,
        cpu_s: float | None = None,
    ) -> list[Judgement]:
        """The judge's word on each completion; with `replays`, `UNSTABLE` when runs on other seeds differ.

        `cpu_s` is the CPU time that one program may use, the judge's own limit when none is given.
        """

    def outputs(self, programs: Sequence[Programs], *, trusted: bool = False) -> list[list[list[Output]]]:
        """For each subject, what each of its programs returns for each call."""


class Programs(NamedTuple):
    """Programs that share an entry point and calls."""

    sources: tuple[str, ...]
    entry: str
    calls: tuple[Test, ...]


class Output(NamedTuple):
    """What one call did: returned a value, or raised."""

    value: object
    raised: str | None = None


def is_plain(test: Test) -> bool:
    """Whether the test is one call whose answer is compared by exact type."""
    return test == Test(args=test.args, kwargs=test.kwargs, expected=test.expected)


def trusted(subjects: Sequence[Subject]) -> bool:
    """Whether our own families wrote everything that would run."""
    return all(subject.family is not None for subject in subjects)


@dataclass(frozen=True, slots=True)
class Check:
    """A named, versioned check: `examine` gives one finding for each subject it `applies` to.

    `lineage` is the family of programs or weights that decides; it must differ from the generator's where the
    check's worth lies in that difference (`independent=True`). `by` is the name and version of the model that
    decides, where one does.
    """

    name: str
    version: int
    lineage: str
    order: int
    examine: Callable[[Sequence[Subject], Bench], list[Finding]]
    applies: Callable[[Subject], bool] = field(default=lambda subject: True)
    independent: bool = False
    by: tuple[str, str] | None = None


def task_by_task(say: Callable[[Task], Finding]) -> Callable[[Sequence[Subject], Bench], list[Finding]]:
    """The `examine` of a check that says its word of one task at a time."""
    return lambda subjects, bench: [say(one.task) for one in subjects]


def _load_own_checks() -> None:
    import synth.evidence as package

    for module in pkgutil.iter_modules(package.__path__, "synth.evidence."):
        importlib.import_module(module.name)


CHECKS: Registry[Check] = Registry(
    "evidence check", group="gradatim.evidence", see="gradatim synth --list", load=_load_own_checks
)

Examine = TypeVar("Examine", bound=Callable[[Sequence[Subject], Bench], list[Finding]])


def check(
    name: str,
    *,
    version: int,
    lineage: str,
    order: int,
    applies: Callable[[Subject], bool] = lambda subject: True,
    independent: bool = False,
) -> Callable[[Examine], Examine]:
    """Decorator that registers a function as the check `name`; checks run in ascending `order`, cheap ones first."""

    def register(examine: Examine) -> Examine:
        made = Check(name, version, lineage, order, examine, applies, independent)
        CHECKS.add(name, made, file=defining_file(examine))
        return examine

    return register


def refuse_same_lineage(generator: str, generator_lineage: str, verifier: str, verifier_lineage: str) -> None:
    """Raises `UserError` when generator and verifier belong to one lineage: they would share their mistakes."""
    if same_lineage(generator_lineage, verifier_lineage):
        raise UserError(
            f"generator '{generator}' and verifier '{verifier}' share the lineage '{generator_lineage}'; "
            "a verifier must be of another lineage; see: gradatim synth --help"
        )
