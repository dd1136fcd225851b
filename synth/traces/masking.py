"""Secrets and personal details out of text, for good: each becomes a placeholder, and nothing remembers what it was.

Covered: private keys, keys and tokens by their known forms, what follows `password:` and the like, logins within URLs,
e-mail addresses, IP and MAC addresses, card numbers (Luhn), IBANs (mod 97), phone numbers, numbers of identity,
long random strings, street addresses, dates of birth, names where they are announced and wherever they come again.
Not covered: names that nothing announces, what a picture of words says ("the mayor of Springfield").
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from synth.traces.names import name_parts, names_in
from synth.traces.patterns import RULES

MASKING_VERSION = 1
"""Raised with every change of what is masked, so that a log is read anew."""


class Masked(NamedTuple):
    """Texts without their secrets, and how many of each kind were taken out."""

    texts: tuple[str, ...]
    counts: Mapping[str, int]


def mask(texts: Sequence[str]) -> Masked:
    """The texts of one interaction; the same value has the same placeholder in all of them.

    Idempotent. Invisible characters go, and digits of other scripts and full-width letters become plain ones: both
    hide secrets.

    >>> mask(["Write to ann@example.org from 10.0.0.7.", "Did you write to ann@example.org?"]).texts
    ('Write to [EMAIL_1] from [IP_1].', 'Did you write to [EMAIL_1]?')
    """
    hidden, shown = _Hidden(), [plain(text) for text in texts]
    for rule in RULES:
        shown = [_replaced(text, rule.spans(text), rule.kind, hidden) for text in shown]
    names = sorted({name for text in shown for name in names_in(text)}, key=lambda name: (-len(name), name))
    for name in names:
        for part in name_parts(name):
            hidden.same("NAME", part, name)
    for word in sorted(hidden.of("NAME"), key=lambda word: (-len(word), word)):
        pattern = re.compile(rf"(?<![\w\[]){re.escape(word)}(?![\w\]])")
        shown = [
            _replaced(text, ((m.start(), m.end()) for m in pattern.finditer(text)), "NAME", hidden) for text in shown
        ]
    return Masked(tuple(shown), dict(hidden.counts))


def plain(text: str) -> str:
    """`text` without invisible characters, its digits and full-width letters as ASCII writes them."""
    if text.isascii():
        return text
    return "".join(map(_plain, text))


def _plain(letter: str) -> str:
    if letter.isascii():
        return letter
    kind = unicodedata.category(letter)
    if kind in ("Cf", "Cs", "Co", "Cn"):
        return ""
    if kind == "Nd":
        return str(unicodedata.decimal(letter))
    code = ord(letter)
    return chr(code - 0xFEE0) if 0xFF01 <= code <= 0xFF5E else letter


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


def _replaced(text: str, spans: Iterator[tuple[int, int]], kind: str, hidden: _Hidden) -> str:
    """`text` with a placeholder in each of the spans, which come in order; one that overlaps an earlier is left out."""
    parts, last = [], 0
    for start, end in spans:
        if start < last or start == end:
            continue
        hidden.counts[kind] += 1
        parts += [text[last:start], hidden.place(kind, text[start:end])]
        last = end
    return "".join([*parts, text[last:]]) if parts else text
