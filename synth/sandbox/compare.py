"""Whether an answer is the expected one, decided on trees, so that no object of a candidate ever exists here.

Covered: answers of any shape in time near-linear in their size (bounded by the frame cap), no hashing of
candidate data, depth bounded, NaN never close to a number. Not covered: nothing is tolerated that the test
does not declare.
"""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from json.encoder import encode_basestring_ascii

from synth.sandbox.case import Test
from synth.sandbox.inside.frames import Malformed
from synth.sandbox.inside.tree import MAX_DEPTH, SMALL, Tree, pack

_HEX = re.compile(r"-?0x[1-9a-f][0-9a-f]*")
_DECIMAL = re.compile(r"-?(\d+(\.\d*)?|\.\d+)(E[+-]?\d{1,18})?|-?Infinity|-?s?NaN", re.IGNORECASE)
_UNHASHABLE = ("d", "s", "a")
_MARGIN = 5


def matches(test: Test, answer: Tree) -> bool:
    """Whether `answer` is what `test` expects, with the leniency that it declares; raises `Malformed`."""
    if test.equality == "truth":
        canonical(answer)
        return truth(answer) == bool(test.expected)
    candidates = test.expected if test.any_of else (test.expected,)
    found = _text(answer, test)
    return any(_same(_text(pack(expected), test), found, test) for expected in candidates)


def agree(test: Test, first: Tree, second: Tree) -> bool:
    """Whether two answers to one test are the same under its own leniency."""
    return _same(_text(first, test), _text(second, test), test)


def stdout_matches(test: Test, output: bytes) -> bool:
    """Whether a script's output is the expected text under the test's white-space rule."""
    options = test.expected if test.any_of else (test.expected,)
    return any(_lines(_as_bytes(option), test) == _lines(output, test) for option in options)


def _as_bytes(text: object) -> bytes:
    return text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogatepass")


def _lines(text: bytes, test: Test) -> object:
    if test.whitespace == "exact":
        return text
    if test.whitespace == "tokens":
        return text.split()
    lines = [line.rstrip() for line in text.replace(b"\r\n", b"\n").split(b"\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def canonical(tree: Tree, loose: bool = False, depth: int = 0) -> str:
    """`tree` as text that is equal exactly for equal values; raises `Malformed` for what `pack` never makes.

    Exact: 1, 1.0 and True differ. Loose: numbers that Python calls equal have one text.

    >>> canonical({"s": [2, 1]}), canonical(1.0), canonical(True, loose=True)
    ('{"s":[1,2]}', '1.0', '1')
    """
    kind = type(tree)
    if kind is str:
        return encode_basestring_ascii(tree)
    if kind is int:
        if not -SMALL < tree < SMALL:
            raise Malformed("untagged big integer")
        return str(tree)
    if kind is bool or tree is None:
        return ("1" if tree else "0") if loose and kind is bool else json.dumps(tree)
    if kind is float:
        return _float(tree, loose)
    if depth > MAX_DEPTH + _MARGIN:
        raise Malformed("nested too deep")
    if kind is list:
        return "[" + ",".join([canonical(item, loose, depth + 1) for item in tree]) + "]"
    if kind is not dict or len(tree) != 1:
        raise Malformed("not a tagged value")
    ((tag, body),) = tree.items()
    return _tagged(tag, body, loose, depth + 1)


def _float(value: float, loose: bool) -> str:
    if not math.isfinite(value):
        raise Malformed("untagged infinity")
    if loose and value == int(value):
        return canonical(pack(int(value)))
    return repr(value + 0.0)


def _tagged(tag: str, body: Tree, loose: bool, depth: int) -> str:
    if tag in ("t", "s", "z", "d"):
        if type(body) is not list:
            raise Malformed(f"tag {tag} without a list")
        return _container(tag, body, loose, depth)
    if tag in ("c", "q"):
        if type(body) is not list or len(body) != 2:
            raise Malformed(f"tag {tag} without a pair")
        first, second = (canonical(part, loose, depth) for part in body)
        if loose and (tag, second) in (("c", "0"), ("q", "1")):
            return first
        if tag == "q" and not (
            _is_integer(body[0]) and _is_integer(body[1]) and not second.startswith(("-", '{"i":"-'))
        ):
            raise Malformed("not a fraction")
        if tag == "q" and second == "0":
            raise Malformed("fraction over zero")
        return f'{{"{tag}":[{first},{second}]}}'
    if type(body) is not str:
        raise Malformed("tag without text")
    return _scalar(tag, body, loose)


def _container(tag: str, body: list[Tree], loose: bool, depth: int) -> str:
    if tag == "t":
        return '{"t":[' + ",".join([canonical(item, loose, depth) for item in body]) + "]}"
    if tag == "d":
        if not all(type(pair) is list and len(pair) == 2 for pair in body):
            raise Malformed("dictionary item is not a pair")
        pairs = [(canonical(k, loose, depth), canonical(v, loose, depth)) for k, v in body]
        texts = sorted(f"[{k},{v}]" for k, v in pairs)
        keys, values = len({k for k, _ in pairs}), [k for k, _ in body]
    else:
        texts = sorted(canonical(item, loose, depth) for item in body)
        keys, values = len(set(texts)), body
        tag = "s" if loose else tag
    if keys != len(body):
        raise Malformed("a key or element twice")
    if not all(map(_hashable, values)):
        raise Malformed("unhashable key or element")
    return f'{{"{tag}":[' + ",".join(texts) + "]}"


def _hashable(tree: Tree) -> bool:
    if type(tree) is not dict:
        return type(tree) is not list
    ((tag, body),) = tree.items()
    if tag == "t":
        return all(map(_hashable, body))
    return tag not in _UNHASHABLE


def _scalar(tag: str, body: str, loose: bool) -> str:
    if tag == "i" and _HEX.fullmatch(body) and abs(int(body, 16)) >= SMALL:
        return f'{{"i":"{body}"}}'
    if tag == "n" and body in ("nan", "inf", "-inf"):
        return f'{{"n":"{body}"}}'
    if tag == "m" and _DECIMAL.fullmatch(body):
        return f'{{"m":"{_decimal(body)}"}}'
    if tag in ("a", "b") and re.fullmatch(r"([0-9a-f]{2})*", body):
        return f'{{"{"b" if loose else tag}":"{body}"}}'
    raise Malformed(f"bad value under tag {tag[:8]!r}")


def _decimal(text: str) -> str:
    try:
        sign, digits, exponent = Decimal(text).as_tuple()
    except InvalidOperation:
        raise Malformed("not a decimal") from None
    if not isinstance(exponent, int):
        return text
    figures = "".join(map(str, digits)).lstrip("0")
    kept = figures.rstrip("0")
    return f"{'-' if sign and kept else ''}{kept or '0'}E{exponent + len(figures) - len(kept) if kept else 0}"


def _is_integer(tree: Tree) -> bool:
    return type(tree) is int or (type(tree) is dict and "i" in tree)


def truth(tree: Tree) -> bool:
    """`bool` of the value that a well-formed tree stands for."""
    if type(tree) is not dict:
        return bool(tree)
    ((tag, body),) = tree.items()
    if tag == "c":
        return any(truth(part) for part in body)
    if tag == "q":
        return truth(body[0])
    if tag == "m":
        return "NaN" in body or Decimal(body) != 0
    return bool(body)


def _text(tree: Tree, test: Test) -> str:
    loose = test.equality == "python"
    text = canonical(tree, loose)
    if test.unordered and type(tree) is list:
        return "[" + ",".join(sorted(canonical(item, loose) for item in tree)) + "]"
    if test.unordered and type(tree) is dict and "t" in tree:
        return '{"t":[' + ",".join(sorted(canonical(item, loose) for item in tree["t"])) + "]}"
    return text


def _same(expected: str, found: str, test: Test) -> bool:
    if expected == found:
        return True
    if not test.rel_tol and not test.abs_tol:
        return False
    return _close(json.loads(expected), json.loads(found), test, test.unordered)


def _close(expected: Tree, found: Tree, test: Test, sort: bool = False) -> bool:
    left, right = _number(expected), _number(found)
    if left is not None and right is not None:
        return left == right or _within(left, right, test)
    if type(expected) is list and type(found) is list:
        if len(expected) != len(found):
            return False
        if sort:
            expected, found = _by_number(expected), _by_number(found)
        return all(_close(e, f, test) for e, f in zip(expected, found, strict=True))
    if type(expected) is dict and type(found) is dict and expected.keys() == found.keys():
        ((tag, body),) = expected.items()
        return _close(body, found[tag], test, sort or tag in ("s", "z"))
    return type(expected) is type(found) and bool(expected == found)


def _within(left: int | float, right: int | float, test: Test) -> bool:
    """Whether two numbers that differ are within the test's tolerance: whole numbers exactly, others as floats."""
    if isinstance(left, int) and isinstance(right, int):
        return abs(left - right) <= max(Fraction(test.rel_tol) * abs(left), Fraction(test.abs_tol))
    try:
        bound = max(test.rel_tol * abs(float(left)), test.abs_tol)
        return abs(float(left) - float(right)) <= bound and math.isfinite(bound)
    except OverflowError:
        return False


def _by_number(items: list[Tree]) -> list[Tree]:
    numbers = [_number(item) for item in items]
    if any(number is None for number in numbers):
        return items
    return [item for _, item in sorted(zip(numbers, items, strict=True), key=lambda pair: pair[0] or 0.0)]


def _number(tree: Tree) -> int | float | None:
    """The finite number, or infinity, that a tree stands for; none for NaN, booleans and everything else."""
    if isinstance(tree, int | float) and not isinstance(tree, bool):
        return tree
    if type(tree) is dict and "i" in tree:
        return int(tree["i"], 16)
    if type(tree) is dict and tree.get("n") in ("inf", "-inf"):
        return float(tree["n"])
    return None
