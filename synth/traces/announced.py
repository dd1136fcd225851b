"""Secrets that a key announces: assignments, pairs of name and value, elements of XML, defaults, options, sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from synth.traces.assigned import assigned, value_of
from synth.traces.blocks import Span
from synth.traces.keys import Key, Reading, kept
from synth.traces.labels import BEFORE, KEY, sure
from synth.traces.spoken import is_prose, names_a_value
from synth.traces.values import Value, quoted_at, within, word_at

_COMMA = re.compile(
    r"[\"'`\])]{0,4}(?:[ \t]{0,9},\s{0,40}(?:default(?:_value)?[ ]?=[ ]?)?|\.\w{1,20}\()\s{0,40}"
    r"(?=[bBrRfFuUN]{0,2}[\"'`])"
)
_GIVEN = re.compile(
    r"(?:getenv|fill|type|input|environ\.get|\.get|fetch|define|[sS]et\w{0,20}|put\w{0,10}|setdefault|getProperty|pop"
    r"|setattr|env|config|append|add|update|Header|header|param|field)\(\s{0,9}(?:[\w.$]{1,40},\s{0,9}|[\"'][^\"'\n]{1,40}[\"'],\s{0,9})?"
    r"[\"'`][#.\[]?(?:name=[\"']?)?\Z"
)
_NAMED = re.compile(
    r"(?:name|key|id|variable|var|label|title|field|parameter\w{0,9})[\"']?\s{0,3}[:=]?\s{0,3}[\"']?(?:[/#][\w/]{0,40})?\Z"
    r"|\bsecrets?[ ]set[ ]\Z",
    re.IGNORECASE,
)
_AND_VALUE = re.compile(
    r"[\"']?[\s,;{]{1,60}(?:[\"']?[A-Za-z][\w\-]{0,20}[\"']?\s{0,8}[:=]\s{0,3}(?:\"[^\"\n]{0,60}\"|'[^'\n]{0,60}'"
    r"|[\w.\-]{1,40}|[\w.\-][^\n\"'{}\[\],;]{0,60}+(?=\n))[\s,;]{1,60}){0,3}?[\"']?(?:Parameter)?(?:value|default|content|secret_?string|val)[\"']?"
    r"\s{0,8}[:=][ \t]{0,3}|[ \t][^\n|;&]{0,80}?--(?:value|body|data)[ =]",
    re.IGNORECASE,
)
_THEN_NAME = re.compile(r"\s{0,40},\s{0,40}[\"']?(?:name|key)[\"']?\s{0,8}[:=]\s{0,3}[\"']([\w.\-]{1,60})[\"']", re.I)
_SETTER = re.compile(
    r"_?(?:set|with|update|change|use|hash|encode|encrypt|reset)(?=[_A-Z])|(?:set|with)?[Pp]assword_hash"
)
_IN_TAG = re.compile(r"<(?:[\w\-]{1,30}:)?\Z|<[^<>]{0,200}\b(?:name|key)=[\"']\Z", re.IGNORECASE)
_CONTENT = re.compile(
    r"[\"']?(?:\s[^<>]{0,200})?(?<!/)>\s{0,40}(?:<value>)?(?:<!\[CDATA\[(.{1,400}?)\]\]>|([^<\s][^<\n]{0,400})(?=\s{0,40}</))"
)
_BLANK = re.compile(
    r"[\"']?[ \t]{1,9}(?:\d[ \t](?=[\w$./]{6}))?(?=[^\s:=\-\u2013\u2014|>\u2192])"
    r"|[*_]{0,2}[ \t]{0,3}(?P<odd>(?:[-\u2013\u2014|>\u2192]{1,2}[ \t]|\r?\n)[ \t]{0,9})(?=\S)"
)
_SAID = re.compile(
    r"[\"'`*_)]{0,3}[ \t]{1,3}(?:(?:has|been|is|was|changed|set|reset|updated)[ \t]){0,3}"
    r"(?:is|was|are|to|now|be|ist|lautet|est|es)(?:[ \t]{0,3}:)?[ \t]{1,3}",
    re.IGNORECASE,
)
_SETS = re.compile(
    r"(?:^|[ \t;&\"'])(?:ENV|set[ \t]+-\w{1,3}|setenv|SetEnv|setx|config(?:ure)?[ :]set|fastcgi_param|--arg|kv put"
    r"|secrets?[ ]set)[ \t]+"
    r"[\"']?(?:[\w/.\-]{1,40}[/:])?\Z",
    re.M,
)
_LOGIN = re.compile(
    r"\b(?:(?:login|user(?:name)?|account|machine)\s{1,9}(?!(?:and|or|with|a|the|is)\b)[^\s,.:]{1,80}|default)\s{1,40}\Z"
)
_PLAINLY = re.compile(
    r"(?:not?|never|now|still|being|too|the|an?|long|short|lost|wrong|correct|right|bad|good|weak|strong|safe|secure|set"
    r"|known|unknown|empty|visible|same|kept|sent|\w+(?:ed|ing|able|ible|ive|ent|ant|ly|al|ful|less|ous))",
    re.IGNORECASE,
)


def _read(match: re.Match[str]) -> Sequence[Span]:
    text, core = match.string, match.start()
    lead = BEFORE.search(text, max(0, core - 60), core)
    start = lead.start() if lead else core
    line = max(text.rfind("\n", 0, start) + 1, start - 300)
    name = text[start : match.end()]
    how = sure(text[max(line, start - 12) : start], name)
    if how is None:
        return []
    key = Key(text, start, match.end(), name, how, text[line:start])
    return next((found for form in _FORMS if (found := form(key)) is not None), [])


def _element(key: Key) -> Sequence[Span] | None:
    """What an element of XML holds, attributes or not."""
    if not _IN_TAG.search(key.before[-240:]):
        return None
    held = _CONTENT.match(key.text, key.end)
    if held is None:
        return None
    start, end = held.span(held.lastindex or 0)
    return kept(key, [Value(start, end, end, False)]) or None


def _pair(key: Key) -> Sequence[Span] | None:
    """What follows `value` after `name: KEY`."""
    if not _NAMED.search(key.before[-40:]):
        return None
    gap = _AND_VALUE.match(key.text, key.end)
    return None if gap is None else value_of(key, gap.end(), ":", False)


def _given(key: Key) -> Sequence[Span] | None:
    """What a call gets or gives for a key: `getenv("KEY", "value")`."""
    comma = _COMMA.match(key.text, key.end)
    if comma is None:
        return None
    gap = comma[0].lstrip("\"'`])")
    if comma[0][:1] not in "\"'`])" and not key.name.isupper():
        return None
    known = (
        _GIVEN.search(key.before[-100:]) is not None
        or (key.name[:1] == "-" and "ption(" not in key.before)
        or gap.startswith((".send", ".fill", ".type", ".set", ".val"))
        or (key.name.isupper() and gap == comma[0])
    )
    if gap[:1] == "." and not known:
        return None
    found = quoted_at(key.text, comma.end())
    return kept(key if known else key._replace(sure="odd"), found)


def _set(key: Key) -> Sequence[Span] | None:
    """What a method that sets a secret is given: `set_password("value")`."""
    _, dot, called = key.name.rpartition(".")
    if key.text[key.end : key.end + 1] != "(" or not (
        _SETTER.match(called)
        or called == "PASSWORD"
        or (dot and key.sure == "word" and called.isalpha() and called.islower())
    ):
        return None
    return kept(key, within(key.text, key.end))


def _blank(key: Key) -> Sequence[Span] | None:
    """What follows after a blank: an option's word, a line of a login, an odd word or a quoted one."""
    gap = _BLANK.match(key.text, key.end)
    if gap is None or re.search(r"<(?:[\w\-]{1,30}:)?\Z", key.before[-32:]):
        return None
    option, sets = key.name[:1] == "-", _SETS.search(key.before) is not None
    if gap[0][:1] in "\"'" and not sets:
        return None
    if option and key.sure == "odd" and re.search("token|pass|auth", key.name, re.IGNORECASE):
        key = key._replace(sure="word")
    if quoted := quoted_at(key.text, gap.end()):
        said = key.text[quoted[0].start : quoted[0].end_inner]
        return [] if is_prose(said) or (option and "=" in said) else kept(key, quoted[:1])
    word = word_at(key.text, gap.end(), style="shell" if option or sets else "told")
    if word is None:
        return []
    said = key.text[word.start : word.end]
    if gap["odd"]:
        alone = "\n" not in gap["odd"] or (
            key.begins and key.text[word.end : word.end + 1] in ("", "\n", '"', "'", "\\")
        )
        return kept(key._replace(sure="odd"), [word]) if alone and "word" in key.sure else None
    if option or sets or (_LOGIN.search(key.before) or _LOGIN.search(_line_before(key))):
        return [] if said[0] in "$-" or "id=" in said else kept(key, [word])
    if key.sure == "word" and not (said.isdigit() and len(said) > 5):
        key = key._replace(sure="odd")
    return kept(key, [word]) or None


def _line_before(key: Key) -> str:
    if key.before.strip():
        return ""
    end = key.start - len(key.before)
    return key.text[max(0, end - 120) : end]


def _sentence(key: Key) -> Sequence[Span] | None:
    """What a sentence says a secret is."""
    gap = _SAID.match(key.text, key.end)
    if gap is None:
        return None
    quoted = quoted_at(key.text, gap.end())
    if quoted:
        return kept(key, quoted[:1]) if not is_prose(key.text[quoted[0].start : quoted[0].end_inner]) else []
    word = word_at(key.text, gap.end())
    if word is None:
        return []
    said = key.text[word.start : word.end]
    if names_a_value(said, key.text):
        return []
    mine = "my" in key.before[-12:].lower().split()
    told = "pass" in key.name.lower() or mine
    if key.sure == "word" and (
        not told or "are" in gap[0].split() or _PLAINLY.fullmatch(said) or is_prose(said) or len(said) < 4
    ):
        key = key._replace(sure="odd")
    return kept(key, [word])


def _value_first(match: re.Match[str]) -> Sequence[Span]:
    quoted = quoted_at(match.string, match.end())
    named = _THEN_NAME.match(match.string, quoted[0].end) if quoted else None
    how = sure("", named[1]) if named else None
    return kept(Key(match.string, match.start(), match.end(), "", how, ""), quoted[:1]) if how else []


_FORMS = (_element, _pair, _given, _set, assigned, _sentence, _blank)

ANNOUNCED = (
    Reading("SECRET", re.compile(r"[\"']value[\"']\s{0,8}[:=]\s{0,3}(?=[\"'])", re.IGNORECASE), _value_first),
    Reading("SECRET", KEY, _read),
)
