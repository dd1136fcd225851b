"""Demonstrations for a warm start: prompts of the train split with right, or deliberately wrong, completions."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from synth.family import FAMILIES, Family
from synth.seeds import stream
from synth.tasks import make_item, split_of
from warehouse.errors import UserError
from warehouse.records import Split

LEVEL_WEIGHTS: tuple[float, ...] = (40, 30, 18, 8, 3, 1, 0.3, 0.1)
"""Weights of a family's levels in ascending order, for a warm start in which hard levels are rare."""


class Demonstration(NamedTuple):
    """One (prompt, completion) pair; `right` says whether the completion is the reference."""

    prompt: str
    completion: str
    family: str
    level: int
    right: bool


def level_weights(families: list[str], weights: tuple[float, ...] = LEVEL_WEIGHTS) -> dict[str, dict[int, float]]:
    """`weights` laid over each family's levels in ascending order; levels beyond the weights get none.

    >>> level_weights(["rev"])["rev"][2]
    40
    """
    return {name: dict(zip(FAMILIES.get(name).levels, weights, strict=False)) for name in families}


def demonstrations(
    weights: Mapping[str, Mapping[int, float]], *, seed: int, n: int, wrong_rate: float = 0.0
) -> Iterator[Demonstration]:
    """`n` demonstrations: families equally likely, levels by weight, prompts of the train split only.

    A function of its arguments alone. `wrong_rate` in [0, 1] is the share whose completion differs from the
    reference in one character. Raises `UserError` on an unknown family or level, no weights, or a rate outside [0, 1].
    """
    if not 0.0 <= wrong_rate <= 1.0:
        raise UserError(f"wrong_rate is {wrong_rate}, must be between 0 and 1; see: gradatim run --help")
    mixture = {name: (FAMILIES.get(name), list(levels), list(levels.values())) for name, levels in weights.items()}
    if not mixture or any(sum(level_mass) <= 0 for _, _, level_mass in mixture.values()):
        raise UserError(
            "demonstrations need at least one family with a positive level weight; see: gradatim run --help"
        )
    names = sorted(mixture)
    choice = stream("demonstrations", seed)
    made = index = 0
    while made < n:
        name = choice.choice(names)
        family, levels, level_mass = mixture[name]
        level = choice.choices(levels, level_mass)[0]
        pair = _demonstration(family, level, seed, index, wrong_rate)
        index += 1
        if pair is not None:
            made += 1
            yield pair


def _demonstration(family: Family, level: int, seed: int, index: int, wrong_rate: float) -> Demonstration | None:
    item = make_item(family, level=level, seed=seed, index=index)
    if split_of(item.prompt) is not Split.TRAIN:
        return None
    noise = stream("demonstrations", "wrong", seed, index)
    if noise.random() >= wrong_rate:
        return Demonstration(item.prompt, item.reference, family.name, level, True)
    return Demonstration(item.prompt, corrupted(item.reference, noise), family.name, level, False)


def corrupted(answer: str, rng: random.Random) -> str:
    """`answer` with one letter or digit replaced by another of its kind; digits before letters in programs.

    A program's digits are its constants, so a changed digit changes what it computes.

    >>> corrupted("x+1", random.Random(0)) != "x+1"
    True
    """
    digits = [place for place, character in enumerate(answer) if character.isdigit()]
    letters = [place for place, character in enumerate(answer) if character.isalpha()]
    plain = answer.isalnum()
    places = (digits + letters) if plain else (digits or letters)
    if not places:
        return answer + "0"
    place = rng.choice(places)
    kind = "0123456789" if answer[place].isdigit() else "abcdefgh"
    other = rng.choice([character for character in kind if character != answer[place]])
    return answer[:place] + other + answer[place + 1 :]
