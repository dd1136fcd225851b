"""New inputs near known ones: values of the same type and about the same size."""

from __future__ import annotations

import random
from typing import Any


def nearby(args: tuple[Any, ...], rng: random.Random) -> tuple[Any, ...]:
    """`args` with one or two of them changed a little, of the same types.

    >>> nearby((3, "ab"), random.Random(1)) != (3, "ab")
    True
    """
    changed = list(args)
    for place in rng.sample(range(len(args)), min(len(args), rng.choice([1, 1, 2]))):
        changed[place] = _near(changed[place], rng)
    return tuple(changed)


def _near(value: Any, rng: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        new = value + rng.choice([-3, -2, -1, 1, 2, 3, 5, 10])
        return new if value < 0 or new >= 0 else value + 1
    if isinstance(value, float):
        return round(value + rng.choice([-1.5, -0.5, 0.25, 1.0, 2.5]), 4)
    if isinstance(value, str):
        return _text(value, rng)
    if isinstance(value, list | tuple):
        items = _items(list(value), rng)
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict) and value:
        key = rng.choice(list(value))
        return {**value, key: _near(value[key], rng)}
    return value


def _text(value: str, rng: random.Random) -> str:
    if not value:
        return rng.choice("abc")
    place = rng.randrange(len(value))
    kind = rng.choice(["drop", "double", "swap", "other"])
    if kind == "drop" and len(value) > 1:
        return value[:place] + value[place + 1 :]
    if kind == "double":
        return value[:place] + value[place] + value[place:]
    if kind == "swap" and len(value) > 1:
        letters = list(value)
        other = rng.randrange(len(value))
        letters[place], letters[other] = letters[other], letters[place]
        return "".join(letters)
    return value[:place] + rng.choice(value + "ae1") + value[place + 1 :]


def _items(items: list[Any], rng: random.Random) -> list[Any]:
    if not items:
        return items
    place = rng.randrange(len(items))
    kind = rng.choice(["drop", "again", "shuffle", "near", "near"])
    if kind == "drop" and len(items) > 2:
        return items[:place] + items[place + 1 :]
    if kind == "again" and len(items) < 12:
        return [*items, items[place]]
    if kind == "shuffle":
        return rng.sample(items, len(items))
    return [*items[:place], _near(items[place], rng), *items[place + 1 :]]
