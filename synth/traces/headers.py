"""Secrets in headers of requests: each cookie, and what follows the scheme of an authorization."""

from __future__ import annotations

import re
from collections.abc import Sequence

from synth.traces.blocks import Span
from synth.traces.keys import Reading
from synth.traces.lists import listed
from synth.traces.spoken import NO_SECRETS, is_login, is_odd, is_prose, is_secret
from synth.traces.values import FIXED, closes, quoted_at

_OF_A_COOKIE = listed("path expires domain max-age samesite secure httponly priority partitioned version comment")
_PAIR = re.compile(r"[ \t]{0,9}([^\s=;,\"'<>{}()]{1,80})=([^\s;,\"'\\][^;\"'\n\\]{0,2000})?(?:;|(?=[\"'\n\\]|\Z))")
_SCHEMES = (
    r"bearer|basic|token|digest|api-?key|negotiate|ntlm|oauth|googlelogin|aws4[\w\-]{0,20}|hawk|ssws|jwt|key|apikey|hmac"
    r"[\w\-]{0,20}|sharedkey\w{0,8}|signature|bot|splunk|genie-?key|personal|private-token"
)
_REST = re.compile(r"[^\n\"'`\\]{2,2000}|(?:[^\n'`\\]){2,2000}")


def _cookies(match: re.Match[str]) -> Sequence[Span]:
    found: list[Span] = []
    at = match.end()
    while pair := _PAIR.match(match.string, at):
        said = pair[2] or ""
        if pair[1].casefold() not in _OF_A_COOKIE and (is_secret(said, quoted=True) or 0 < len(said.strip()) < 3):
            found.append((pair.start(2), pair.start(2) + len(said.rstrip())))
        at = pair.end()
    return found


def _credentials(match: re.Match[str]) -> Sequence[Span]:
    """What follows the scheme, to the end of the header or of the quotes that it stands in."""
    text, at = match.string, match.end()
    opened = match["open"]
    rest = re.compile(rf"[^\n\\{opened or chr(39) + chr(34) + chr(96)}]{{1,2000}}").match(text, at)
    if rest is None:
        return []
    scheme, said = match["scheme"], rest[0].rstrip()
    if not opened and scheme and '="' in text[at : at + 200].split("\n")[0]:
        line = re.compile(r"[^\n]{1,2000}").match(text, at)
        said = line[0].rstrip("\r ,") if line else said
    first = said.split()[0].strip(".,:;") if said.split() else ""
    if not first or first.casefold() in NO_SECRETS or is_prose(said) or FIXED.fullmatch(said):
        return []
    if first[0] in "$<{%+" or not is_secret(said, quoted=True):
        return []
    if not scheme and not is_odd(first):
        return []
    if opened and closes(text, match.start("open")):
        return []
    word = re.match(r"[^\s,;]+", said)
    end = len(said) if scheme or word is None else word.end()
    return [(at, at + end)]


def _odd(match: re.Match[str]) -> Sequence[Span]:
    return [
        (value.start, value.end_inner)
        for value in quoted_at(match.string, match.end())[:1]
        if is_odd(match.string[value.start : value.end_inner], quoted=True)
    ]


def _login(match: re.Match[str]) -> Sequence[Span]:
    return [match.span(1)] if is_login(match[1]) else []


HEADERS: tuple[Reading, ...] = (
    Reading(
        "TOKEN",
        re.compile(
            r"\b(?:set-)?cookies?[\"']?[ \t]{0,3}[:=,][ \t]{0,3}[bf]?[\"'`]?(?=[^\s=;,\"'<>{}()]{1,80}=[^\s=])",
            re.IGNORECASE,
        ),
        _cookies,
    ),
    Reading(
        "TOKEN", re.compile(r"\bcurl\b[^\n|;&]{0,300}?[ \t](?:-b|--cookie)[ =][\"']?(?=[^\s=;\"']{1,80}=)"), _cookies
    ),
    Reading(
        "TOKEN",
        re.compile(
            r"\bauthorization[\"']?\]?[ \t]{0,9}[:=,][ \t]{0,9}(?:[bfr](?=[\"'`]))?(?P<open>[\"'`])?"
            rf"(?:(?P<scheme>{_SCHEMES})[ \t]{{1,9}})?(?=\S)",
            re.IGNORECASE,
        ),
        _credentials,
    ),
    Reading(
        "TOKEN",
        re.compile(
            r"(?:\b(?:set_?cookie|cookies?\.set|\w\.cookie)\(\s{0,9}(?:\"[^\"\n]{1,60}\"|'[^'\n]{1,60}')\s{0,9},"
            r"|\b(?:bearer|token|api-?key|basic)[ ][\"']\s{0,9}\+)\s{0,9}(?=[\"'])",
            re.IGNORECASE,
        ),
        _odd,
    ),
    Reading("TOKEN", re.compile(r"\bbasic[ \t]+([A-Za-z0-9+/=]{8,})", re.IGNORECASE), _login),
)
