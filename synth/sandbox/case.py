"""One test of a code task: what is called, what must come back, and which leniency the task declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from warehouse.errors import UserError

Equality = Literal["exact", "python", "truth"]
Whitespace = Literal["lines", "tokens", "exact"]

_EQUALITIES = ("exact", "python", "truth")
_WHITESPACES = ("lines", "tokens", "exact")


@dataclass(frozen=True, slots=True)
class Test:
    """One call of a code task's entry point and what it must return; compared outside the sandbox.

    How the answer is obtained (one of):
    a plain call `entry(*args, **kwargs)`; `through=("encode", "decode")`, where each function gets the answer
    of the one before; `methods=(("push", (1,)), ("pop", ()))`, called on `entry(*args, **kwargs)`, the answer
    being the list of their results; `stdin`, where the program runs as a script and the answer is its stdout;
    `check`, the source of a trusted program that defines `check(candidate)` and asserts, run in a process of
    its own which sees plain copies of the candidate's answers only.

    How it is compared (`expected` under `equality`): `"exact"` types (1, 1.0 and True are three values; a
    subclass of a plain type counts as that type), `"python"` as `==` does over plain data, `"truth"` only
    `bool(answer) == expected`. `rel_tol` and `abs_tol` bound the difference of floats as `math.isclose` does,
    relative to the expected value; `unordered` ignores the order of the outermost list or tuple; `any_of`
    takes `expected` as a list of right answers. `whitespace` applies to stdout: `"lines"` ignores white space
    at line ends and blank lines at the end, `"tokens"` compares white-space-separated words, `"exact"` bytes.
    """

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    expected: Any = None
    entry: str | None = None
    through: tuple[str, ...] = ()
    methods: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    stdin: str | bytes | None = None
    check: str | None = None
    equality: Equality = "exact"
    rel_tol: float = 0.0
    abs_tol: float = 0.0
    unordered: bool = False
    any_of: bool = False
    whitespace: Whitespace = "lines"

    __test__ = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "args", tuple(self.args))
        kinds = [name for name in ("through", "methods", "check") if getattr(self, name)]
        kinds += ["stdin"] if self.stdin is not None else []
        if len(kinds) > 1:
            raise UserError(f"a Test is one kind of question, not {' and '.join(kinds)}; give one of them")
        if self.equality not in _EQUALITIES:
            raise UserError(f"equality is {self.equality!r}; allowed: {', '.join(_EQUALITIES)}")
        if self.whitespace not in _WHITESPACES:
            raise UserError(f"whitespace is {self.whitespace!r}; allowed: {', '.join(_WHITESPACES)}")
        if not (0 <= self.rel_tol < 1 and 0 <= self.abs_tol < float("inf")):
            raise UserError(f"tolerances are {self.rel_tol}, {self.abs_tol}; allowed: 0 <= rel_tol < 1, abs_tol >= 0")
        if self.any_of and not isinstance(self.expected, list | tuple):
            raise UserError("any_of takes a list of right answers as expected")
