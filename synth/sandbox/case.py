"""One test of a code task: a call and what it must return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Test:
    """One call of a code task's entry point and what it must return; compared outside the sandbox by exact type."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    expected: Any = None

    __test__ = False
