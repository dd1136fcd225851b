"""Synthetic prompts with planted duplicates and planted look-alikes, for benchmarks of deduplication."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


def _words(text: str) -> list[str]:
    return text.split()


_SYLLABLES = _words(
    "ba be bi bo da de di do fa fi ga go ha ka ke ki la le li lo ma me mi mo na ne ni no pa po ra re ri ro sa so ta te"
)
_THINGS = _words(
    "apple pencil marble ticket notebook cookie brick lantern flower basket button ribbon kite puzzle candle bottle "
    "stamp sticker mango pumpkin carrot chair table ladder shovel bucket rope blanket pillow mirror wheel engine "
    "battery cable lamp drum violin flute guitar piano sandwich bagel muffin pancake sausage tomato onion garlic "
    "pepper lemon cherry melon barrel crate jar parcel letter postcard magazine poster map globe compass telescope "
    "microscope beaker magnet crystal pebble shell feather leaf branch log plank nail screw hammer"
)
_PLACES = _words(
    "market school library museum farm harbor bakery station garden hospital factory office theater stadium"
)
_ADJECTIVES = _words("red blue green yellow wooden old new broken shiny striped heavy tiny round square golden silver")
_SYNONYMS = {
    "buys": "purchases", "gives": "hands", "finds": "discovers", "keeps": "retains", "market": "bazaar",
    "school": "academy", "shop": "store", "wants": "wishes", "near": "beside", "packs": "bundles", "boxes": "crates",
    "costs": "is priced at", "computes": "works out", "returns": "gives back", "string": "text", "integers": "numbers",
}  # fmt: skip
_PREFIXES = ("Please answer this. ", "Could you help me with this one? ", "Here is a task for you. ", "Solve: ")


@dataclass
class Planted:
    """Prompts, and which pairs of them are (`same`) or are not (`different`) one task."""

    texts: list[str] = field(default_factory=list)
    same: list[tuple[int, int, str]] = field(default_factory=list)
    different: list[tuple[int, int, str]] = field(default_factory=list)


def planted(n: int, seed: int) -> Planted:
    """`n` prompts: 80 % new ones, 10 % duplicates and 10 % look-alikes of earlier ones."""
    rng = random.Random(seed)
    out = Planted()
    originals: list[int] = []
    while len(out.texts) < n:
        draw = rng.random()
        if draw < 0.8 or not originals:
            originals.append(len(out.texts))
            out.texts.append(rng.choice(_KINDS)(rng))
            continue
        source = rng.choice(originals)
        name, edit = rng.choice(list((_REWORDINGS if draw < 0.9 else _CHANGES).items()))
        text = edit(out.texts[source], rng)
        if text != out.texts[source]:
            (out.same if draw < 0.9 else out.different).append((source, len(out.texts), name))
            out.texts.append(text)
    return out


def _name(rng: random.Random) -> str:
    return "".join(rng.choice(_SYLLABLES) for _ in range(rng.choice((2, 3)))).capitalize()


def _story(rng: random.Random) -> str:
    one, two, thing, other = _name(rng), _name(rng), rng.choice(_THINGS), rng.choice(_THINGS)
    a, b, c = rng.randint(3, 90), rng.randint(3, 90), rng.randint(2, 40)
    middle = rng.choice(
        (
            f"{two} gives {one} {b} more {thing}s near the {rng.choice(_PLACES)}.",
            f"At the {rng.choice(_PLACES)} {two} wants {b} of the {rng.choice(_ADJECTIVES)} {thing}s.",
            f"Each {rng.choice(_ADJECTIVES)} {other} costs {b} dollars in the shop.",
        )
    )
    end = rng.choice(
        (
            f"Then {one} packs all of them into {c} boxes. How many {thing}s does one box hold?",
            f"After {c} days {one} finds the same number again. How many {thing}s are there in all?",
            f"How many {thing}s does {two} keep if {c} {other}s are not counted?",
        )
    )
    return f"{one} buys {a} {rng.choice(_ADJECTIVES)} {thing}s at the {rng.choice(_PLACES)}. {middle} {end}"


def _formula(rng: random.Random) -> str:
    a, b, c, x = rng.randint(2, 99), rng.randint(2, 999), rng.randint(2, 99), rng.choice("xyzt")
    return (
        f"Consider the equation {a}*{x} + {b} = {c}*{x} - {rng.randint(2, 999)} over the rational numbers. "
        f"Find the value of {x} that satisfies it and give the answer as a reduced fraction."
    )


def _program(rng: random.Random) -> str:
    word = "".join(rng.choice("abcdefghijklmnop") for _ in range(rng.randint(5, 9)))
    return (
        f'Write a function that returns how often the string "{word}" occurs in a text, ignoring the first '
        f"{rng.randint(2, 400)} characters, and that returns {rng.randint(2, 400)} when the text is empty."
    )


def _wordy(rng: random.Random) -> str:
    things = rng.sample(_THINGS, 4)
    one, other = rng.choice(_ADJECTIVES), rng.choice(_ADJECTIVES)
    return (
        f"Explain in one sentence why the {one} {things[0]} of {_name(rng)} is kept in the "
        f"{rng.choice(_PLACES)} and neither the {things[1]} nor the {other} {things[2]} of {_name(rng)} "
        f"is kept beside the {things[3]}."
    )


_KINDS: Sequence[Callable[[random.Random], str]] = (_story, _story, _story, _formula, _program, _wordy)


def _respell(text: str, rng: random.Random) -> str:
    if '"' in text:
        return text + "  "
    return rng.choice((text.upper(), text.replace(". ", ".\n"), "  " + text.replace(" ", "  ") + "\n"))


def _prefixed(text: str, rng: random.Random) -> str:
    return rng.choice(_PREFIXES) + text


def _reworded(text: str, rng: random.Random) -> str:
    known = [word for word in text.split() if word in _SYNONYMS]
    for word in known[:2]:
        text = text.replace(f" {word} ", f" {_SYNONYMS[word]} ", 1)
    return text


def _asked(text: str, rng: random.Random) -> str:
    return text.replace("How many", "What number of").replace(" in all?", " altogether?")


def _typo(text: str, rng: random.Random) -> str:
    if not any(character.isdigit() for character in text):
        return text
    words = text.split(" ")
    long = [place for place, word in enumerate(words) if len(word) > 6 and word.isalpha() and word.islower()]
    if long:
        place = rng.choice(long)
        cut = rng.randint(2, len(words[place]) - 2)
        words[place] = words[place][:cut] + words[place][cut + 1 :]
    return " ".join(words)


def _number(text: str, rng: random.Random) -> str:
    words = text.split(" ")
    places = [place for place, word in enumerate(words) if word.isdigit()]
    if places:
        place = rng.choice(places)
        words[place] = str(int(words[place]) + rng.randint(1, 30))
    return " ".join(words)


def _operator(text: str, rng: random.Random) -> str:
    return text.replace(" + ", " - ", 1)


def _negation(text: str, rng: random.Random) -> str:
    for positive in (" costs ", " wants ", " is kept ", " buys ", " satisfies ", " occurs "):
        if positive in text:
            return text.replace(positive, f" never{positive}", 1)
    return text


def _quoted(text: str, rng: random.Random) -> str:
    if '"' not in text:
        return text
    before, word, after = text.split('"')
    letters = list(word)
    letters[rng.randrange(len(letters))] = "z"
    return f'{before}"{"".join(letters)}"{after}'


def _opposite(text: str, rng: random.Random) -> str:
    return text.replace(" more ", " fewer ", 1).replace(" first ", " last ", 1)


_REWORDINGS = {"respelled": _respell, "prefixed": _prefixed, "synonyms": _reworded, "asked": _asked, "typo": _typo}
_CHANGES = {"number": _number, "operator": _operator, "negation": _negation, "quoted": _quoted, "opposite": _opposite}
