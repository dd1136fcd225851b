"""What one execution may use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from warehouse.errors import UserError

Profile = Literal["plain", "numpy"]

MEBIBYTE = 1 << 20
PATIENCE = 8.0
"""Wall seconds granted for each CPU second used: a machine this busy still judges fairly."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one execution (load and all calls of one process) may use; CPU clocks decide.

    `wall_s` only catches sleepers: an execution may wait `wall_s` and 8 s more for each CPU second that it used.
    A `profile` says what the process finds: `plain` the standard library, `numpy` that and numpy.
    """

    cpu_s: float = 4.0
    """CPU time of one execution, seconds, 0.05 to 3600."""
    wall_s: float = 6.0
    """Time that one execution may sleep or wait, seconds, 0.1 to 3600."""
    memory_mb: int | None = None
    """Address space, MiB; by default 512, and 2048 in the numpy profile."""
    output_bytes: int = MEBIBYTE
    """Largest reply, and largest stdout of a script, bytes."""
    program_bytes: int = MEBIBYTE
    """Largest program, bytes of UTF-8."""
    work_mb: int = 16
    """Size of the writable work folder, MiB; 0 for none. There is none without mount namespaces."""
    open_files: int = 64
    """Open file descriptors."""
    profile: Profile = "plain"
    """What the process finds to import."""

    def __post_init__(self) -> None:
        _within("cpu_s", self.cpu_s, 0.05, 3600)
        _within("wall_s", self.wall_s, 0.1, 3600)
        _within("memory_mb", self.address_space_mb, 64, 1 << 20)
        _within("output_bytes", self.output_bytes, 1024, 64 * MEBIBYTE)
        _within("program_bytes", self.program_bytes, 1, 64 * MEBIBYTE)
        _within("work_mb", self.work_mb, 0, 4096)
        _within("open_files", self.open_files, 16, 4096)
        if self.profile not in ("plain", "numpy"):
            raise UserError(f"profile is {self.profile!r}; allowed: plain, numpy")

    @property
    def address_space_mb(self) -> int:
        """Address space in MiB, the profile's default included."""
        if self.memory_mb is not None:
            return self.memory_mb
        return 2048 if self.profile == "numpy" else 512

    @property
    def ceiling_s(self) -> float:
        """The longest wall time that an execution can take before it is killed."""
        return self.wall_s + PATIENCE * self.cpu_s

    def relative_to(self, reference_cpu_s: float, *, factor: float = 10.0, floor_s: float = 1.0) -> Limits:
        """These limits with `cpu_s` = max(`floor_s`, `factor` x what the reference took), never more than now.

        >>> Limits().relative_to(0.25).cpu_s
        2.5
        """
        return replace(self, cpu_s=min(self.cpu_s, max(floor_s, factor * reference_cpu_s)))


def _within(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise UserError(f"limit {name} is {value}; allowed: {low} to {high}")
