"""Whether tests keep the contract that a function states: the number and types of its arguments."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from synth.sandbox import Test
from synth.syntax import tree_of

ANNOTATED: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (float, int),
    "str": (str,),
    "bool": (bool,),
    "list": (list,),
    "List": (list,),
    "tuple": (tuple,),
    "Tuple": (tuple,),
    "dict": (dict,),
    "Dict": (dict,),
    "set": (set,),
    "Set": (set,),
}
"""What an annotation, without its parameters, allows; others allow everything."""


def broken_contract(tests: Sequence[Test], *, head: str = "", entry: str = "") -> str | None:
    r"""Why the tests break the contract of `entry`, as `head` states it or as most of them show it, if they do.

    >>> broken_contract([Test(args=(value,), expected=1) for value in ((1,), (1, 2), 5)])
    'contract: argument 1 of test 3 is int, of the others tuple'
    >>> broken_contract([Test(args=("a",), expected=1)], head="def f(x: int):\n    ...", entry="f")
    'contract: argument 1 of test 1 is str, stated is int'
    """
    plain = [(number, test.args) for number, test in enumerate(tests, 1) if not (test.check or test.kwargs)]
    return _against_head(plain, head, entry) or _against_the_others(plain)


def _against_head(calls: list[tuple[int, tuple[object, ...]]], head: str, entry: str) -> str | None:
    function = _function(head, entry)
    if function is None:
        return None
    places, most = function.args.args, len(function.args.args)
    least = most - len(function.args.defaults)
    for number, args in calls:
        if not least <= len(args) and not function.args.vararg:
            return f"contract: test {number} passes {len(args)} arguments, stated are {least}"
        if len(args) > most and not function.args.vararg:
            return f"contract: test {number} passes {len(args)} arguments, stated are {most}"
        for place, (value, stated) in enumerate(zip(args, places, strict=False), 1):
            name = _name(stated.annotation)
            allowed = ANNOTATED.get(name)
            if allowed is not None and type(value) not in allowed:
                return f"contract: argument {place} of test {number} is {type(value).__name__}, stated is {name}"
    return None


def _function(head: str, entry: str) -> ast.FunctionDef | None:
    try:
        nodes = tree_of(head.rstrip() + "\n    pass\n").body
    except (SyntaxError, ValueError):
        return None
    return next((n for n in nodes if isinstance(n, ast.FunctionDef) and n.name == entry), None)


def _name(annotation: ast.expr | None) -> str:
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    return annotation.id if isinstance(annotation, ast.Name) else ""


def _against_the_others(calls: list[tuple[int, tuple[object, ...]]]) -> str | None:
    """A number where the other tests pass tuples of such numbers: a 1-tuple that lost its comma."""
    for place in range(min((len(args) for _, args in calls), default=0)):
        tuples = [args[place] for _, args in calls if isinstance(args[place], tuple)]
        odd = [(number, args[place]) for number, args in calls if isinstance(args[place], int | float | str)]
        inner = {type(value) for one in tuples if isinstance(one, tuple) for value in one}
        if odd and len(odd) < len(tuples) and type(odd[0][1]) in inner:
            kind = type(odd[0][1]).__name__
            return f"contract: argument {place + 1} of test {odd[0][0]} is {kind}, of the others tuple"
    return None
