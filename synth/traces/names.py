"""Names of people where a text announces them: greetings, signatures, titles, labels, introductions."""

from __future__ import annotations

import re

from synth.traces.lists import listed

_UP = "A-Z\u00c0-\u00d6\u00d8-\u00de\u0386-\u03ab\u0400-\u042f\u0100\u0106\u010c\u0141\u015a\u0160\u017b\u017d"
_NAME = rf"[{_UP}][^\W\d_]*+(?:(?!['\u2019]s\b)['\u2019\-][^\W\d_]++)*+"
_ONE = rf"{_NAME}(?:[ \t]+(?:(?:van|von|de|da|del|di|bin|al|la)[ \t]+)*{_NAME}){{0,3}}"
_TWO = rf"{_NAME}(?:[ \t]+(?:(?:van|von|de|da|del|di|bin|al|la)[ \t]+)*{_NAME}){{1,3}}"
_ANY = rf"[^\W\d_]++(?:(?!['\u2019]s\b)['\u2019\-][^\W\d_]++)*+(?:[ \t]+{_NAME}){{0,3}}"
_END = r"(?=[ \t]*(?:[,!.:;?\n)]|$))"

_RULES = tuple(
    re.compile(rule, re.MULTILINE)
    for rule in (
        rf"\b(?i:my (?:full |first |last )?name(?:'s| is)|i am called|call me)[ \t]+({_ANY})",
        rf"\b(?i:i am|i'm|this is)[ \t]+({_TWO})",
        rf"\b(?i:this is)[ \t]+({_ONE})(?=[ \t]+(?:from|speaking|calling|here|again)\b)",
        rf"\b(?i:dear|hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you)[ \t]*,?[ \t]+({_ONE}){_END}",
        rf"(?:^|[.!?][ \t]+|[\"'])[ \t>]*(?i:(?:kind |best |warm |with )*regards|best(?: wishes)?|sincerely"
        rf"|yours(?: \w+)?|cheers|thanks|thank you|many thanks|love)[ \t]*,?[ \t]*(?:\r?\n[ \t]*){{1,2}}"
        rf"(?:[-\u2013\u2014][ \t]*)?({_ONE})(?=[ \t]*(?:[\"']|$))",
        rf"\b(?i:signed|sent by|written by|on behalf of|attn\.?|attention|c/o)[ \t]*[:,]?[ \t]+({_ONE})",
        rf"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Sir|Herr|Frau|Mme|Sr|Sra)\b\.?[ \t]+({_ONE})",
        rf"\b(?i:(?:full|first|last|user|customer|client|patient|contact|account holder|employee|card ?holder)"
        rf"[ _-]?name|customer|patient|account holder|card ?holder|cc|to|from)[\"']?[ \t]*[:=][ \t]*[\"']?({_ONE})",
        rf"\b(?i:(?:full|first|last|customer|client|patient|contact|employee|card ?holder)[ _-]?name)[\"']?"
        rf"[ \t]*(?:[:=]|is)[ \t]*[\"']?({_ANY})",
        rf"(?<![\w])(?i:name)[\"']?[ \t]*[:=][ \t]*[\"']?"
        rf"(?![A-Z][A-Z\d_]{{0,60}}[\"']?[\s,]{{1,60}}[\"']?value)({_ONE})",
    )
)
_NOT_NAMES = listed(
    "password passwort token secret username authorization cookie "
    "mr mrs ms miss mx dr prof herr frau mme sr sra i a an the there here all everyone everybody team sir madam "
    "customer customers client support friend friends folks world assistant user users admin administrator system "
    "chatgpt claude gemini copilot gpt bot you me not sorry sure please help thanks thank hello hi hey dear yes "
    "no ok okay monday tuesday wednesday thursday friday saturday sunday january february march april june july "
    "august september october november december string str int integer float bool boolean list dict tuple set "
    "optional none null true false any object array number name value type python java javascript hiring manager "
    "reader colleague colleagues guys ladies gentlemen santa god again how what why when where who we it this "
    "that then my your our in on at of for to from and or but if so with called re fw fwd"
)


def names_in(text: str) -> list[str]:
    r"""The names that a text announces, as they stand there.

    >>> names_in("Dear Ms. Okafor,\nmy name is john Doe. Hello World!\nRegards,\nAda Lovelace")
    ['john Doe', 'Ada Lovelace', 'Okafor']
    """
    found: dict[str, None] = {}
    for rule in _RULES:
        for match in rule.finditer(text):
            name = _trimmed(match[1])
            if name is not None:
                found[name] = None
    return list(found)


def name_parts(name: str) -> list[str]:
    """What is masked of a name wherever it comes again: it and its words of three letters and more, with a capital.

    >>> name_parts("john Doe")
    ['John Doe', 'John', 'Doe']
    """
    words = [word[0].upper() + word[1:] for word in re.split(r"[ \t]+", name)]
    parts = [word for word in words if len(word) >= 3 and word.casefold() not in _NOT_NAMES]
    return list(dict.fromkeys([" ".join(words), *parts]))


def _trimmed(name: str) -> str | None:
    """The leading words of `name` that may be one; none where the first cannot."""
    kept: list[str] = []
    for word in re.split(r"[ \t]+", name):
        if word.casefold() in _NOT_NAMES and word.casefold() not in ("la", "de"):
            break
        kept.append(word)
    while kept and kept[-1] in ("van", "von", "de", "da", "del", "di", "bin", "al", "la"):
        kept.pop()
    whole = " ".join(kept)
    if len(whole) < 2:
        return None
    return name[: len(whole)] if name.startswith(whole) else whole
