"""Secrets that are assigned to a key by `:`, `=` and the like: quoted, in brackets, bare, or on the lines below."""

from __future__ import annotations

import re
from collections.abc import Sequence

from synth.traces.blocks import Span, below, sentence
from synth.traces.keys import Key, kept
from synth.traces.spoken import names_a_value
from synth.traces.values import FIXED, Value, closes, listed_at, quoted_at, within, word_at

_QUOTE = r"[bBrRfFuU@$]{0,2}[\"'`(\[{]"
_TYPE = r"&?(?:'\w{1,20} )?[A-Za-z_][\w.?]{0,40}(?:\[[\w., |\[\]]{0,40}\]|<[\w, ]{0,30}>)?(?:[ \t]\|[ \t][\w.]{1,20})?"
_CLOSE = (
    r"[\"'`*_)\]]{0,5}[ \t]{0,3}(?:(?:\([^()\n]{1,40}\)|(?:for|of)(?:[ \t][\w.@\-]{1,40}){1,2})[ \t]{0,3})?"
    r"[*_]{0,2}(?:\[\d{0,4}\])?"
)
_COLON = r"(?:(?<=[ \t]):(?![\w\-]{1,40}=[\"'])|(?<![ \t]):)(?!:|//)"
_ASSIGNED = re.compile(
    rf"{_CLOSE}[ \t]{{0,9}}(?:\s{{1,80}}(?=:[ \t\n]*[\"']))?(?:"
    rf"(?P<typed>(?:{_COLON}[ \t]{{0,3}}{_TYPE}|[ \t](?:string|str|PROGMEM))"
    rf"[ \t]{{0,3}}=(?=[ \t]{{0,3}}{_QUOTE}))"
    rf"|(?P<sep>:=|=>|[=!]==?|\?\?=?|\|\|=?|\+=|:-|\bor\b|=|<-|{_COLON}))[*]{{0,2}}(?P<gap>[ \t]{{0,9}})"
)
_PARAMETER = re.compile(r"[`*]{0,2}[ ]\((?:str|string|bytes|int|bool|optional)\b")
_NEXT_LINE = re.compile(rf"\s{{1,80}}(?={_QUOTE})")
_TAGS = re.compile(r"(?:[&!][\w!]{1,40}[ \t]{1,3}){1,2}(?=[^\s#])")
_OTHERWISE = re.compile(
    r"[^\n\"'`]{0,60}(?:[\"'][^\n\"'`]{0,60}[\"'][^\n\"'`]{0,60})?(?:\belse\b|\bor\b|\|\||\?\?|:)[ \t]{0,3}(?=[\"'`])"
)
_NUMBER_TYPE = re.compile(r"\b(?:u?int(?:\d+_t|\d+)?|long|short|byte|#define|let|var|const|val)[ \t]+\Z")
_WRAPPED = re.compile(
    r"(?:new[ \t]+)?(?:(?P<many>dict|list|set|tuple|Array|Object|frozenset|[Ss]tring\[\])|Secret(?:Str|Bytes)?"
    r"|Some|Just|str|bytes|String|(?:\w{1,20}\.)?(?:hash\w*|md5|sha\d+|quote|b64encode|hashpw)|encodeURIComponent)(?=[({])"
)


def assigned(key: Key) -> Sequence[Span] | None:
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
    if key.name.startswith("--") and re.search("token|pass|auth", key.name, re.IGNORECASE):
        key = key._replace(sure="word")
    if key.before[-1:] == "/" and sign == ":":
        key = key._replace(sure="word")
    if key.sure == "digits" and (sign == "=>" or _NUMBER_TYPE.search(key.before)):
        return []
    return value_of(key, gap.end(), sign, bool(gap["gap"]))


def value_of(key: Key, at: int, sign: str, spaced: bool) -> Sequence[Span]:
    """The spans of the value at a place behind `sign`, with or without a blank between."""
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
    if quoted and not text.startswith(".join(", quoted[0].end):
        if closes(text, quoted[0].start - 1):
            return []
        if text[quoted[0].end_inner] == "`" and sign == "=" and not spaced:
            key = key._replace(sure="odd")
        return kept(key, quoted)
    if quoted and text.startswith(".join(", quoted[0].end):
        return kept(key, within(text, quoted[0].end + 5))
    if sign in ("==", "===", "!=", "!==", "??", "||", "or", "+="):
        return []
    if wrapped := _WRAPPED.match(text, at):
        first = quoted_at(text, wrapped.end() + 1)
        return kept(key, first or (within(text, wrapped.end()) if wrapped["many"] else []))
    if text[at : at + 1] in ("[", "(", "{"):
        held = within(text, at) or listed_at(text, at)
        if "cookie" in key.name.lower() and held and held[0].quoted:
            key = key._replace(sure="word")
        found = kept(key if sign == ":" or (held and held[0].quoted) else key._replace(sure="odd"), held)
        return [
            span for span in found if key.sure != "odd" or "token" not in key.name.lower() or span[1] - span[0] >= 12
        ]
    if text[at : at + 1] in ("'", '"') and text[at + 1 : at + 2].isalnum() and not closes(text, at):
        end = text.find("\n", at)
        return kept(key, [Value(at + 1, end if 0 < end < at + 400 else min(len(text), at + 60), at, True)])
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
    if key.name.endswith("s") and said.isdigit():
        return []
    if not kept(key, [word]):
        other = _OTHERWISE.match(text, at) if sign == "=" else None
        return kept(key._replace(sure="odd"), quoted_at(text, other.end())) if other else []
    if key.sure == "word" and (sign == ":" or (key.begins and not shouted)):
        span = sentence(text, word)
        return [span] if span else []
    return [(word.start, word.end)]
