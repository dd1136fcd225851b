"""Traces grouped by what is asked, so that a writer is shown failures of one kind together."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from synth.traces.lists import listed
from synth.traces.trace import Trace, in_group

LIKE = 0.2
"""Cosine of weighted words from which two prompts ask for the same kind of thing."""
MOST_WORDS = 60
"""Words of a prompt that count: its rarest."""
NAMED_BY = 2
"""Words in a group's name."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_PLACEHOLDER = re.compile(r"\[[A-Z]+_\d+\]")
_COMMON = listed(
    "the and for are was were that this with from you your have has had not but can could would should will what "
    "which when where who how why all any each more most some other into than then there here about its our out "
    "their them they she name much many hello dear user system assistant "
    "her his him please want need make write give find tell show does did one two"
)


def grouped(traces: Sequence[Trace]) -> list[Trace]:
    """The traces, each with a group: its own where the log names one, else that of the first prompt that is like it.

    Compared with the first of each group and never along a chain. A group is called by the words that weigh most in its
    first prompt, and by none that was masked in any trace; a prompt that has no words is in group `other`.

    >>> asked = ("Translate this invoice", "Translate the invoice again", "Sort these integers")
    >>> [one.group for one in grouped([Trace(prompt=text, completion="") for text in asked])]
    ['invoice-translate', 'invoice-translate', 'integers-sort']
    """
    words = [_words(trace.prompt) for trace in traces]
    rarity = _rarity(words)
    hidden = frozenset[str]().union(*(trace.hidden for trace in traces))
    kept: list[str] = []
    among: dict[str, list[tuple[int, float]]] = defaultdict(list)
    made = []
    for trace, said in zip(traces, words, strict=True):
        if trace.group:
            made.append(in_group(trace, _shown(trace.group, hidden)))
            continue
        weights = _weighted(said, rarity)
        alike: Counter[int] = Counter()
        for word, weight in weights.items():
            for place, other in among[word]:
                alike[place] += weight * other  # type: ignore[assignment]
        best = max(alike, key=lambda place: (alike[place], -place), default=None)
        if best is None or alike[best] < LIKE:
            best = len(kept)
            kept.append(_named({word: weight for word, weight in weights.items() if word not in hidden}))
            for word, weight in weights.items():
                among[word].append((best, weight))
        made.append(in_group(trace, kept[best]))
    return made


def _words(text: str) -> list[str]:
    said = _WORD.findall(_PLACEHOLDER.sub(" ", text).casefold())
    return [word for word in said if word not in _COMMON]


def _rarity(words: Sequence[Sequence[str]]) -> dict[str, float]:
    """ln(1 + N / n) of each word that n of N prompts hold."""
    held = Counter(word for said in words for word in set(said))
    return {word: math.log(1 + len(words) / n) for word, n in held.items()}


def _weighted(said: Sequence[str], rarity: dict[str, float]) -> dict[str, float]:
    """The words' weights, as a vector of length 1: those that are neither everywhere nor here alone weigh most."""
    counts = Counter(said)
    weights = {word: math.sqrt(n) * rarity[word] for word, n in counts.items()}
    heaviest = sorted(weights, key=lambda word: (-weights[word], word))[:MOST_WORDS]
    size = math.sqrt(sum(weights[word] ** 2 for word in heaviest)) or 1.0
    return {word: weights[word] / size for word in heaviest}


def _named(weights: dict[str, float]) -> str:
    heaviest = sorted(weights, key=lambda word: (-weights[word], word))[:NAMED_BY]
    return _slug("-".join(sorted(heaviest)))


def _shown(name: str, hidden: frozenset[str]) -> str:
    """The name that a log gives a group, without long words that are masked elsewhere."""
    said = re.split(r"[\s/]+", name.strip())
    return _slug(
        " ".join(word for word in said if len(word) < 8 or not hidden.intersection(_WORD.findall(word.casefold())))
    )


def _slug(name: str) -> str:
    """A group's name as a family is called: no slash, which parts an arm's name."""
    return re.sub(r"[\s/]+", "-", name.strip())[:80] or "other"
