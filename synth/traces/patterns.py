"""What secrets and personal details look like; each pattern reads a text in linear time."""

from __future__ import annotations

import ipaddress
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from synth.traces.announced import ANNOUNCED
from synth.traces.commands import COMMANDS
from synth.traces.headers import HEADERS
from synth.traces.keys import Reading
from synth.traces.spoken import is_login, is_secret
from synth.traces.tables import InsertRule, TableRule

_DASH = " .\\-\u00a0\u2009\u202f\u2010-\u2015"
_PLACEHOLDER = re.compile(r"\[[A-Z]+_\d+\]")


class Rule(NamedTuple):
    """Where `pattern` matches and `accepts` agrees, its last group that took part (or all of it) is a `kind`."""

    kind: str
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool] | None = None

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Places to mask, in order."""
        for match in self.pattern.finditer(text):
            group = match.lastindex or 0
            found = match[group]
            if _PLACEHOLDER.fullmatch(found) is None and (self.accepts is None or self.accepts(found)):
                yield match.span(group)


class CardRule(NamedTuple):
    """Runs of digits in which 13 to 19, from the edge of one piece to the edge of another, satisfy Luhn's check."""

    kind: str = "CARD"

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """The longest card number from each place on, in order."""
        for run in _RUN.finditer(text):
            yield from _cards(run)


class IbanRule(NamedTuple):
    """International account numbers by their check digits."""

    kind: str = "IBAN"

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """The longest account number from each place on, in order."""
        for match in _ACCOUNT.finditer(text):
            ends = [e for e in range(match.end(1), match.start() + 14, -1) if not text[e : e + 1].isalnum()]
            end = next((e for e in ends if is_iban(text[match.start() : e])), None)
            if end is not None:
                yield match.start(), end


_ACCOUNT = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=((?:[ \-]?[A-Za-z0-9]){11,34}))")
_NETWORK = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3[0689]\d{12}(?:\d{2})?|35\d{14}|6[0245]\d{14,17}"
    r"|(?:5[06-9]|6\d)\d{10,17}"
)
_RUN = re.compile(rf"(?<![\d])\d(?:[{_DASH}/_]?\d){{12,}}(?!\d)")


def _cards(run: re.Match[str]) -> Iterator[tuple[int, int]]:
    places = [i for i in range(run.start(), run.end()) if run.string[i].isdigit()]
    begins = [k for k, i in enumerate(places) if k == 0 or places[k - 1] != i - 1]
    ends = {k for k, i in enumerate(places) if k == len(places) - 1 or places[k + 1] != i + 1}
    done = -1
    for begin in begins:
        if begin <= done:
            continue
        for end in range(begin + 18, begin + 11, -1):
            own = places[begin : end + 1]
            if end in ends and is_card("".join(run.string[i] for i in own)) and not _listed(own):
                yield places[begin], places[end] + 1
                done = end
                break


def _listed(places: Sequence[int]) -> bool:
    """Whether digits stand as a list of numbers does: in pieces of one and two, or of two; single ones may be spelt."""
    cuts = [0, *(k for k in range(1, len(places)) if places[k] != places[k - 1] + 1), len(places)]
    sizes = [after - before for before, after in pairwise(cuts)]
    return min(sizes[:-1] or sizes) < 3 and set(sizes) != {1}


def is_card(digits: str) -> bool:
    """Whether digits are a card's: how they begin says how many there are, and the last one checks them.

    >>> is_card("4111111111111111"), is_card("1234567891234567"), is_card("4111111111111112")
    (True, False, False)
    """
    return _NETWORK.fullmatch(digits) is not None and luhn(digits)


def luhn(digits: str) -> bool:
    """Whether the digits satisfy Luhn's check, as every card number does.

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    doubled = [int(d) * (1 + k % 2) for k, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def is_iban(text: str) -> bool:
    """Whether a text is an IBAN by its check digits (ISO 7064, mod 97 = 1)."""
    code = re.sub(r"[^A-Za-z0-9]", "", text).upper()
    return 15 <= len(code) <= 34 and int("".join(str(int(c, 36)) for c in code[4:] + code[:4])) % 97 == 1


def is_random(text: str) -> bool:
    """Whether a run of 20 and more letters and digits is no word: letters and digits in turns, at 3.3 bits each."""
    turns = sum(a.isdigit() != b.isdigit() for a, b in pairwise(text))
    mixed = any(c.islower() for c in text) and any(c.isupper() for c in text)
    if re.fullmatch(r"[0-9a-fA-F-]{32,}", text) and not text.isdigit():
        return turns >= 3
    counts = Counter(text).values()
    entropy = -sum(n / len(text) * math.log2(n / len(text)) for n in counts)
    return entropy >= 3.3 and turns >= (3 if mixed else 6)


def _is_login(text: str) -> bool:
    return is_secret(text.partition(":")[2], quoted=True)


def _is_borne(text: str) -> bool:
    """Whether what follows `Bearer` is no word of a sentence."""
    return is_secret(text, quoted=True) and re.search(r"[^A-Za-z\-]|[a-z][A-Z]", text.rstrip(".:!?*_")) is not None


def _is_ipv4(text: str) -> bool:
    return all(int(part) <= 255 for part in text.split("."))


def _is_ipv6(text: str) -> bool:
    if len([part for part in text.split(":") if part]) < 3:
        return False
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def _is_hex(text: str) -> bool:
    return _has_digit(text) and any(letter.isalpha() for letter in text)


def _is_abroad(text: str) -> bool:
    return _is_phone(text) and not set(text) <= set("01 /-")


def _is_phone(text: str) -> bool:
    return 7 <= sum(letter.isdigit() for letter in text) <= 15


_KEY = (
    r"(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[A-Za-z0-9_\-]{16,}|gh[opusr]_[A-Za-z0-9]{20,}"
    r"|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_\-]{16,}|xox[abeoprs]-[A-Za-z0-9\-]{10,}|(?:AKIA|ASIA|AGPA|AIDA|AROA)"
    r"[A-Z0-9]{12,}|AIza[A-Za-z0-9_\-]{30,}|ya29\.[A-Za-z0-9_\-]{20,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{20,}"
    r"|pypi-[A-Za-z0-9_\-]{20,}|SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}|do[opr]_v1_[a-f0-9]{20,}"
    r"|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,}|whsec_[A-Za-z0-9+/=]{16,}|eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}"
    r"(?:\.[A-Za-z0-9_\-]*)?"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_DATE = (
    rf"\d{{1,4}}[./\-]\d{{1,2}}[./\-]\d{{1,4}}|\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?{_MONTH},? \d{{4}}"
    rf"|{_MONTH} \d{{1,2}},? \d{{4}}"
)
_WAY = r"Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Square|Terrace|Crescent|Close|Row"

RULES: tuple[Rule | Reading | CardRule | IbanRule | InsertRule | TableRule, ...] = (
    Rule(
        "KEY",
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,60}-----|\Z)"
        ),
    ),
    Rule(
        "LOGIN",
        re.compile(r"\b[a-z][a-z0-9+.\-]{1,20}://([^\s/@:]{0,200}:[^\s/@]{1,200})(?=@)", re.IGNORECASE),
        _is_login,
    ),
    Rule("KEY", re.compile(rf"(?<![A-Za-z0-9])(?:{_KEY})")),
    Rule("KEY", re.compile(r"\$(?:[1568y]|2[abxy]|apr1|argon2\w{1,3}|scrypt|pbkdf2\S{0,20})\$([^\s:\"'`,;]{10,200})")),
    Rule(
        "TOKEN",
        re.compile(r"\b_?auth[\"']?\s{0,9}[:=]\s{0,9}[\"']?([A-Za-z0-9+/]{8,400}={0,2})", re.IGNORECASE),
        is_login,
    ),
    *HEADERS,
    Rule("TOKEN", re.compile(r"\bbearer[ \t]+([^\s\"'`,;()<>]{8,})", re.IGNORECASE), _is_borne),
    InsertRule(),
    *COMMANDS,
    *ANNOUNCED,
    TableRule(),
    Rule(
        "SECRET",
        re.compile(r"[?&](?:sig|signature|key|code|auth|hmac)=([^\s&\"'<>\[\]]{8,})", re.IGNORECASE),
        _has_digit,
    ),
    Rule(
        "TOKEN",
        re.compile(r"(?:hooks\.slack\.com/services|discord(?:app)?\.com/api/webhooks)/([\w/\-]{8,})", re.IGNORECASE),
    ),
    Rule(
        "EMAIL",
        re.compile(
            r"(?:(?!%40|&#0?64;|&commat;)[^\s@<>()\[\]{},;:\"'|=/\\]){1,64}+(?<!\.)(?<!\bgit(?=@))(?<!\bhg(?=@))"
            r"(?:@|%40|&#0?64;|&commat;|[ ]?[\[(]at[\])][ ]?|[ ](?-i:AT)[ ])"
            r"(?:[^\W_](?:[\w\-]{0,61}[^\W_])?(?:\.|[ ]?[\[(]dot[\])][ ]?|[ ](?-i:DOT)[ ])){1,6}"
            r"[^\W\d_]{2,24}(?![\w\-])",
            re.IGNORECASE,
        ),
    ),
    Rule("IP", re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)"), _is_ipv4),
    Rule("IP", re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{2,39}(?![\w:])"), _is_ipv6),
    Rule("MAC", re.compile(r"(?<![\w.])[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4}){2}(?![\w.])"), _is_hex),
    Rule("MAC", re.compile(r"(?<![\w:\-])[0-9A-Fa-f]{2}(?:[:\-][0-9A-Fa-f]{2}){5}(?![\w:\-])")),
    IbanRule(),
    CardRule(),
    Rule("ID", re.compile(r"(?<![\w\-])\d{3}-\d{2}-\d{4}(?![\w\-])")),
    Rule(
        "ID",
        re.compile(
            r"\b(?:ssn|social security(?: number)?|passport|account (?:number|no\.?)|tax id|national id"
            r"|driver'?s licen[cs]e|customer (?:id|number)|user ?id|order (?:id|number)"
            r"|patient (?:id|number)|policy number|invoice number)"
            r"(?: number| no\.?)?[\"']?[ \t]{0,9}(?:[:=#]|is)?[ \t]{0,9}#?([A-Za-z0-9][A-Za-z0-9\-]{3,30})(?![\w\-])",
            re.IGNORECASE,
        ),
        _has_digit,
    ),
    Rule(
        "PHONE",
        re.compile(
            r"\b(?:tele)?(?:phone|tel|mobile|cell|call|fax|whatsapp|sms|text|ring|dial|reach"
            r"|(?:my|your|his|her|our|their|contact|home|work|office) number)\b"
            rf"[^\w+(\n$]{{0,4}}(?:(?:me|us|him|her|number|no|at|on|is|under|back)\b[^\w+(\n$]{{0,3}}){{0,4}}(\+?\(?\d[\d()/{_DASH}]{{5,22}}\d)(?!\w)",
            re.IGNORECASE,
        ),
        _is_phone,
    ),
    Rule("PHONE", re.compile(rf"(?<![\w.+])(?<![\d)\]=] )\+\d(?:[()/{_DASH}]{{0,2}}\d){{7,14}}(?!\d)"), _is_phone),
    Rule("PHONE", re.compile(r"(?<![\w.\-])(?:1[ .\-])?(?:\(\d{3}\)[ ]?|\d{3}[.\-])\d{3}[ .\-]\d{4}(?![\w\-])")),
    Rule("PHONE", re.compile(r"(?<![\w.,\-])0[1-9](?:[ .]\d{2}){4}(?![\w.])(?! \d)")),
    Rule("PHONE", re.compile(r"(?<![\w.,\-])00[1-9]\d{0,2}(?:[ /\-]\d{2,10}){2,5}(?![\w\-])"), _is_abroad),
    Rule("PHONE", re.compile(r"(?<![\w.,\-])0\d{2,4}[ /\-]\d{3,4}(?:[ \-]?\d{2,4}){1,2}(?![\w])"), _is_phone),
    Rule("TOKEN", re.compile(r"(?<![A-Za-z0-9_+/=\-])[A-Za-z0-9_+/\-]{20,}={0,2}(?![A-Za-z0-9_+/=\-])"), is_random),
    Rule(
        "DATE",
        re.compile(
            rf"\b(?:date of birth|dob|born|birthday)\b\W{{0,4}}(?:(?:on|is|in)\b\W{{0,3}}){{0,2}}({_DATE})",
            re.IGNORECASE,
        ),
    ),
    Rule("ADDRESS", re.compile(rf"(?<![\w.])\d{{1,5}}[A-Za-z]? (?:[A-Z][\w'.\-]{{0,30}} ){{1,4}}(?:{_WAY})\b")),
    Rule(
        "ADDRESS",
        re.compile(r"\b[A-Z\u00c4\u00d6\u00dc]\w{1,30}(?:stra(?:\u00df|ss)e|allee|platz|weg|gasse) \d{1,4}[a-z]?\b"),
    ),
)
"""In order: what is longest and surest first."""
