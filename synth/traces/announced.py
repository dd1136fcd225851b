"""Secrets that a key announces: assignments, pairs of name and value, elements of XML, defaults, options, sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from synth.traces.blocks import Span, below, sentence
from synth.traces.labels import BEFORE, KEY, Sure, sure
from synth.traces.spoken import is_code, is_odd, is_prose, is_secret, names_a_value
from synth.traces.values import FIXED, Value, closes, listed_at, quoted_at, within, word_at


class Reading(NamedTuple):
    """Where `pattern` matches, `reads` says which spans are a `kind`; both read a text in linear time."""

    kind: str
    pattern: re.Pattern[str]
    reads: Callable[[re.Match[str]], Sequence[Span]]

    def spans(self, text: str) -> Iterator[Span]:
        """Places to mask, in order."""
        at = 0
        while (match := self.pattern.search(text, at)) is not None:
            found = self.reads(match)
            yield from found
            at = max(match.end(), match.start() + 1, found[-1][1] if found else 0)


class Key(NamedTuple):
    """A key as it stands in a text: its whole name, what it announces, and the text of its line that leads to it."""

    text: str
    start: int
    end: int
    name: str
    sure: Sure
    before: str


_QUOTE = r"[bBrRfFuU@$]{0,2}[\"'`(\[{]"
_TYPE = r"&?[A-Za-z_][\w.?]{0,40}(?:\[[\w., |\[\]]{0,40}\]|<[\w, ]{0,30}>)?(?:[ \t]\|[ \t][\w.]{1,20})?"
_CLOSE = r"[\"'`*_)\]]{0,5}[ \t]{0,3}(?:\([^()\n]{1,40}\)[ \t]{0,3})?[*_]{0,2}(?:\[\d{0,4}\])?"
_ASSIGNED = re.compile(
    rf"{_CLOSE}[ \t]{{0,9}}(?:\s{{1,80}}(?=:[ \t\n]*[\"']))?(?:(?P<typed>(?::[ \t]{{0,3}}{_TYPE}|[ \t](?:string|str))"
    rf"[ \t]{{0,3}}=(?=[ \t]{{0,3}}{_QUOTE}))"
    r"|(?P<sep>:=|=>|[=!]==?|\?\?=?|\|\|=?|\+=|:-|\bor\b|=|:(?!:|//)))[*]{0,2}(?P<gap>[ \t]{0,9})"
)
_PARAMETER = re.compile(r"[`*]{0,2}[ ]\((?:str|string|bytes|int|bool|optional)\b")
_NEXT_LINE = re.compile(rf"\s{{1,80}}(?={_QUOTE})")
_TAGS = re.compile(r"(?:[&!][\w!]{1,40}[ \t]{1,3}){1,2}(?=[^\s#])")
_COMMA = re.compile(r"[\"'`]\]?[ \t]{0,9},\s{0,40}(?=[bBrRfFuU]{0,2}[\"'`])")
_GIVEN = re.compile(
    r"(?:getenv|environ\.get|\.get|fetch|define|[sS]et\w{0,20}|put\w{0,10}|setdefault|getProperty|pop|setattr|env|config"
    r"|append|add|update|Header|header|param|field)\(\s{0,9}(?:[\w.$]{1,40},\s{0,9}|[\"'][^\"'\n]{1,40}[\"'],\s{0,9})?"
    r"[\"'`]\Z"
)
_NAMED = re.compile(
    r"(?:name|key|id|variable|var|label|title|field|parameter\w{0,9})[\"']?\s{0,3}[:=]?\s{0,3}[\"']?\Z", re.I
)
_AND_VALUE = re.compile(
    r"[\"']?[\s,;{]{1,60}(?:[\"']?[A-Za-z][\w\-]{0,20}[\"']?\s{0,8}[:=]\s{0,3}(?:\"[^\"\n]{0,60}\"|'[^'\n]{0,60}'"
    r"|[\w.\-]{1,40})[\s,;]{1,60}){0,3}?[\"']?(?:Parameter)?(?:value|default|content|secret_?string|val)[\"']?"
    r"\s{0,8}[:=][ \t]{0,3}",
    re.IGNORECASE,
)
_THEN_NAME = re.compile(r"\s{0,40},\s{0,40}[\"']?(?:name|key)[\"']?\s{0,8}[:=]\s{0,3}[\"']([\w.\-]{1,60})[\"']", re.I)
_SETTER = re.compile(
    r"_?(?:set|with|update|change|use|hash|encode|encrypt|reset)(?=[_A-Z])|(?:set|with)?[Pp]assword_hash"
)
_IN_TAG = re.compile(r"<(?:[\w\-]{1,30}:)?\Z|<[^<>]{0,200}\b(?:name|key)=[\"']\Z", re.IGNORECASE)
_CONTENT = re.compile(
    r"[\"']?(?:\s[^<>]{0,200})?(?<!/)>\s{0,40}(?:<!\[CDATA\[(.{1,400}?)\]\]>|([^<\s][^<\n]{0,400})(?=\s{0,40}</))"
)
_BLANK = re.compile(r"[ \t]{1,9}(?=[^\s:=\-])")
_SAID = re.compile(r"[\"'`*_)]{0,3}[ \t]{1,3}(?:is|was|are|to|will be)(?:[ \t]{0,3}:)?[ \t]{1,3}", re.IGNORECASE)
_SETS = re.compile(
    r"(?:^|[ \t;&\"'])(?:ENV|setenv|SetEnv|setx|config(?:ure)?[ :]set|fastcgi_param|requirepass)[ \t]+\Z", re.M
)
_LOGIN = re.compile(r"\b(?:login|user|account|default|machine)\s[^\n]{0,100}\n?[ \t]*\Z")
_PLAINLY = re.compile(
    r"(?:not?|never|now|still|being|too|the|an?|long|short|lost|wrong|correct|right|bad|good|weak|strong|safe|secure|set"
    r"|known|unknown|empty|visible|same|kept|sent|\w+(?:ed|ing|able|ible|ive|ent|ant|ly|al|ful|less|ous))",
    re.IGNORECASE,
)
_NUMBER_TYPE = re.compile(r"\b(?:u?int(?:\d+_t|\d+)?|long|short|byte|#define|let|var|const|val)[ \t]+\Z")
_WRAPPED = re.compile(
    r"(?:new[ \t]+)?(?:Secret(?:Str|Bytes)?|str|bytes|String|dict|list|set|tuple|Array|Object|frozenset|(?:\w{1,20}\.)?"
    r"(?:hash\w*|md5|sha\d+|quote|b64encode|hashpw)|encodeURIComponent|[Ss]tring\[\])(?=[({])"
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
    return _kept(key, [Value(start, end, end, False)]) or None


def _pair(key: Key) -> Sequence[Span] | None:
    """What follows `value` after `name: KEY`."""
    if not _NAMED.search(key.before[-40:]):
        return None
    gap = _AND_VALUE.match(key.text, key.end)
    return None if gap is None else _value(key, gap.end(), ":", False)


def _given(key: Key) -> Sequence[Span] | None:
    """What a call gets or gives for a key: `getenv("KEY", "value")`."""
    comma = _COMMA.match(key.text, key.end)
    if comma is None:
        return None
    known = _GIVEN.search(key.before[-100:]) is not None or (key.name[:1] == "-" and "ption(" not in key.before)
    found = quoted_at(key.text, comma.end())
    return _kept(key if known else key._replace(sure="odd"), found)


def _set(key: Key) -> Sequence[Span] | None:
    """What a method that sets a secret is given: `set_password("value")`."""
    _, dot, called = key.name.rpartition(".")
    if key.text[key.end : key.end + 1] != "(" or not (_SETTER.match(called) or (dot and key.sure == "word")):
        return None
    return _kept(key, within(key.text, key.end))


def _assigned(key: Key) -> Sequence[Span] | None:
    """What stands behind `:`, `=` and the like."""
    gap = _ASSIGNED.match(key.text, key.end)
    if gap is None:
        return None
    sign = "=" if gap["typed"] else gap["sep"]
    if sign == ":-" and "${" not in key.before:
        return None
    if _PARAMETER.match(gap[0]):
        return []
    if key.name.isupper() and gap[0] in ("= ", "=\t"):
        return []
    if key.sure == "digits" and (sign == "=>" or _NUMBER_TYPE.search(key.before)):
        return []
    return _value(key, gap.end(), sign, bool(gap["gap"]))


def _value(key: Key, at: int, sign: str, spaced: bool) -> Sequence[Span]:
    text = key.text
    if FIXED.match(text, at):
        return []
    if (tags := _TAGS.match(text, at)) and sign == ":":
        at = tags.end()
    if sign == ":":
        head = re.fullmatch(r"([ \t]*)(?:- +)?[\"']?|.*?[\"'>] ?([ \t]*)[\"']?", key.before)
        found = below(text, at, len((head[1] or head[2] or "") if head else ""), key.sure) if head else None
        if found:
            return found
    if (line := _NEXT_LINE.match(text, at)) and (sign != ":" or text[key.end : key.end + 1] in "\"'"):
        at = line.end()
    quoted = quoted_at(text, at)
    if quoted:
        if closes(text, quoted[0].start - 1):
            return []
        if text[quoted[0].end_inner] == "`" and sign == "=" and not spaced:
            key = key._replace(sure="odd")
        return _kept(key, quoted)
    if sign in ("==", "===", "!=", "!==", "??", "||", "or", "+="):
        return []
    if wrapped := _WRAPPED.match(text, at):
        return _kept(key, within(text, wrapped.end()))
    if text[at : at + 1] in ("[", "(", "{"):
        held = within(text, at) or listed_at(text, at)
        if "cookie" in key.name.lower() and held and held[0].quoted:
            key = key._replace(sure="word")
        found = _kept(key if sign == ":" or (held and held[0].quoted) else key._replace(sure="odd"), held)
        return [span for span in found if key.sure != "odd" or span[1] - span[0] >= 12]
    if text[at : at + 1] in ("'", '"') and text[at + 1 : at + 2].isalnum() and not closes(text, at):
        end = text.find("\n", at)
        return _kept(key, [Value(at + 1, end if 0 < end < at + 400 else min(len(text), at + 60), at, True)])
    return _bare(key, at, sign, spaced)


def _bare(key: Key, at: int, sign: str, spaced: bool) -> Sequence[Span]:
    text, shouted = key.text, key.name.isupper() and not spaced
    word = word_at(text, at, style="told" if sign == ":" else "assigned")
    if word is None:
        return []
    said = text[word.start : word.end]
    called = "(" in said and ")" not in said and ")" not in text[word.end : word.end + 200].split("\n")[0]
    if called and key.sure == "word" and said[0].isalnum():
        return [(word.start, word.end)]
    if sign == "=>" or (sign != ":" and not shouted and names_a_value(said, text)):
        key = key._replace(sure="odd")
    elif sign == ":" and text[word.end : word.end + 1] in ",})" and names_a_value(said, text):
        return []
    if not _kept(key, [word]):
        return []
    if key.sure == "word" and (sign == ":" or (not key.before.strip() and not shouted)):
        span = sentence(text, word)
        return [span] if span else []
    return [(word.start, word.end)]


def _blank(key: Key) -> Sequence[Span] | None:
    """What follows after a blank: an option's word, a line of a login, an odd word or a quoted one."""
    gap = _BLANK.match(key.text, key.end)
    if gap is None:
        return None
    option, sets = key.name[:1] == "-", _SETS.search(key.before) is not None
    if option and key.sure == "odd" and re.search("token|pass|auth", key.name, re.IGNORECASE):
        key = key._replace(sure="word")
    if quoted := quoted_at(key.text, gap.end()):
        said = key.text[quoted[0].start : quoted[0].end_inner]
        return [] if is_prose(said) or (option and "=" in said) else _kept(key, quoted[:1])
    word = word_at(key.text, gap.end(), style="shell" if option or sets else "told")
    if word is None:
        return []
    said = key.text[word.start : word.end]
    if option or sets or (_LOGIN.search(key.before) or _LOGIN.search(_line_before(key))):
        return [] if said[0] in "$-" or "id=" in said else _kept(key, [word])
    if key.sure == "word" and not (said.isdigit() and len(said) > 5):
        key = key._replace(sure="odd")
    return _kept(key, [word]) or None


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
        return _kept(key, quoted[:1]) if not is_prose(key.text[quoted[0].start : quoted[0].end_inner]) else []
    word = word_at(key.text, gap.end())
    if word is None:
        return []
    said = key.text[word.start : word.end]
    mine = "my" in key.before[-12:].lower().split()
    told = "pass" in key.name.lower() or mine
    if key.sure == "word" and (not told or _PLAINLY.fullmatch(said) or is_prose(said) or len(said) < 4):
        key = key._replace(sure="odd")
    return _kept(key, [word])


def _kept(key: Key, values: Sequence[Value]) -> list[Span]:
    """The spans of the values that are secrets after such a key."""
    return [(value.start, value.end_inner) for value in values if _is_kept(key, value)]


def _is_kept(key: Key, value: Value) -> bool:
    said = key.text[value.start : value.end_inner]
    if FIXED.fullmatch(said):
        return False
    if key.sure == "digits":
        return is_code(said)
    return (is_secret if key.sure == "word" else is_odd)(said, quoted=value.quoted)


def _value_first(match: re.Match[str]) -> Sequence[Span]:
    quoted = quoted_at(match.string, match.end())
    named = _THEN_NAME.match(match.string, quoted[0].end) if quoted else None
    how = sure("", named[1]) if named else None
    return _kept(Key(match.string, match.start(), match.end(), "", how, ""), quoted[:1]) if how else []


_FORMS = (_element, _pair, _given, _set, _assigned, _sentence, _blank)

ANNOUNCED = (
    Reading("SECRET", re.compile(r"[\"']value[\"']\s{0,8}[:=]\s{0,3}(?=[\"'])", re.IGNORECASE), _value_first),
    Reading("SECRET", KEY, _read),
)
