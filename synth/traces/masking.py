"""Secrets and personal details out of text, for good: each becomes a placeholder, and nothing remembers what it was.

Covered: private keys, keys and tokens by their known forms; what a key announces (`password:`, `X_TOKEN=`,
`getenv("X_PASSWORD", ...)`, `- name: DB_PASSWORD` with its value, elements of XML, columns of tables, blocks, lists,
sentences) in quotes, brackets, bare or on lines below, in whatever escapes; what commands and headers are given
(`mysql -p`, `curl -u`, cookies, `Authorization`), logins within URLs, and a secret wherever it comes again; e-mail
addresses, IP and MAC addresses, card numbers (Luhn), IBANs (mod 97), phone numbers, numbers of identity, long random
strings, street addresses, dates of birth, names where they are announced and wherever they come again.
Left as code: types, calls, variables, commands (`$(...)`), places (`<yours>`), plain words after `token` and `session`.
Cannot be told apart, and masked: a value that is a word of several meanings after `password` (`password = word`).
Not covered: secrets and names that nothing announces (`hunter` after a blank, the second argument of a call), what a
picture of words says ("the mayor of Springfield").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from synth.traces.again import Again
from synth.traces.blocks import Span
from synth.traces.escapes import plain_letter, views
from synth.traces.names import name_parts, names_in
from synth.traces.patterns import RULES

MASKING_VERSION = 4
"""Raised with every change of what is masked, so that a log is read anew."""


SECRETS = ("KEY", "TOKEN", "LOGIN", "SECRET")
"""Kinds that are masked wherever they come again."""
MOST_ROUNDS = 4
"""Times that the rules are read until nothing is left to mask: what one hides may show another what it missed."""


class Masked(NamedTuple):
    """Texts without their secrets, and how many of each kind were taken out."""

    texts: tuple[str, ...]
    counts: Mapping[str, int]
    words: frozenset[str] = frozenset()
    """Words of what was taken out, for what is told of many texts together; never to be stored."""


def mask(texts: Sequence[str]) -> Masked:
    """The texts of one interaction; the same value has the same placeholder in all of them.

    Idempotent. Invisible characters go, and spaces and digits of other scripts and full-width letters become plain
    ones: both hide secrets, as escapes do (a backslash and a quote, `%40`, `&#64;`), which are read and left.

    >>> mask(["Write to ann@example.org from 10.0.0.7.", "Did you write to ann@example.org?"]).texts
    ('Write to [EMAIL_1] from [IP_1].', 'Did you write to [EMAIL_1]?')
    """
    hidden, shown = _Hidden(), [plain(text) for text in texts]
    for _ in range(MOST_ROUNDS):
        before, shown = shown, _masked(shown, hidden)
        if shown == before:
            break
    return Masked(tuple(shown), dict(hidden.counts), hidden.words())


def _masked(shown: list[str], hidden: _Hidden) -> list[str]:
    """The texts with a placeholder wherever a rule, a secret found before, or a name says so."""
    for rule in RULES:
        shown = [_hide(text, rule.spans, rule.kind, hidden) for text in shown]
    for kind in SECRETS:
        again = Again(hidden.of(kind))
        shown = [_hide(text, again.spans, kind, hidden) for text in shown]
    said = [view.text for text in shown for view in views(text)]
    names = sorted({name for text in [*shown, *said] for name in names_in(text)}, key=lambda name: (-len(name), name))
    for name in names:
        for part in name_parts(name):
            hidden.same("NAME", part, name)
    words = sorted(hidden.of("NAME"), key=lambda word: (-len(word), word))
    if not words:
        return shown
    pattern = re.compile(rf"(?<![\w\[])(?:{'|'.join(map(re.escape, words))})(?![\w\]])")
    return [_hide(text, partial(_places, pattern), "NAME", hidden) for text in shown]


def plain(text: str) -> str:
    """`text` without invisible characters, its digits and full-width letters as ASCII writes them."""
    if text.isascii():
        return text
    return "".join(map(plain_letter, text))


def _places(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in pattern.finditer(text))


@dataclass(slots=True)
class _Hidden:
    """Placeholders given within one interaction; forgotten with it."""

    counts: Counter[str] = field(default_factory=Counter)
    _known: dict[tuple[str, str], str] = field(default_factory=dict)
    _numbers: Counter[str] = field(default_factory=Counter)

    def place(self, kind: str, value: str) -> str:
        if (kind, value) not in self._known:
            self._numbers[kind] += 1
            self._known[kind, value] = f"[{kind}_{self._numbers[kind]}]"
        return self._known[kind, value]

    def same(self, kind: str, value: str, other: str) -> None:
        """Gives `value` the placeholder of `other`, unless it has one."""
        self._known.setdefault((kind, value), self.place(kind, other))

    def of(self, kind: str) -> list[str]:
        return [value for one, value in self._known if one == kind]

    def words(self) -> frozenset[str]:
        said = (value for kind, value in self._known if kind != "KEY")
        return frozenset(word for value in said for word in re.findall(r"[^\W\d_]{3,}", value.casefold()))


def _hide(text: str, spans: Callable[[str], Iterable[Span]], kind: str, hidden: _Hidden) -> str:
    """`text` with a placeholder in each span of it as it stands and as it reads without its escapes, in their union.

    A quote that ends a value on one level of escapes is a part of it on another.
    """
    found = [*spans(text), *(span for view in views(text) for span in view.source(spans(view.text)))]
    parts, last = [], 0
    for start, end in _united(found):
        hidden.counts[kind] += 1
        parts += [text[last:start], hidden.place(kind, text[start:end])]
        last = end
    return "".join([*parts, text[last:]]) if parts else text


def _united(spans: Iterable[Span]) -> Iterator[Span]:
    """The spans in order, those that overlap as one; empty ones are left out."""
    begun: Span | None = None
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if begun is not None and start < begun[1]:
            begun = begun[0], max(begun[1], end)
            continue
        if begun is not None:
            yield begun
        begun = start, end
    if begun is not None:
        yield begun
