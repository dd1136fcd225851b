r"""The one answer that a completion commits to: the last `\boxed`, `#### 72`, a bare answer, or the last number.

Alternatives offered side by side, guesses in a list, an unfinished thinking block and a truncated text
are no answer. A later correction wins over an earlier box.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from synth.math.numbers import read_number
from synth.math.plain import plain

AnswerFormat = Literal["bare", "boxed", "last_number", "gsm8k"]
"""How a task asks for its answer; kept in `Task.params["answer_format"]`, `boxed` when absent."""

MAX_COMPLETION = 1_000_000
"""Characters of a completion that are read; longer ones hold no answer."""

_BOX = re.compile(r"\\(?:boxed|fbox)(?![a-zA-Z])\s*")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_TOKEN = re.compile(r"[-+]?(?:\\[a-zA-Z]+|[\w.,%]{1,40})")
_THINK = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_HASHES = re.compile(r"####[ \t]*([^\n]{0,400})")
_NUMBER = re.compile(r"(?<![\w.,])[-+\u2212]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?: ?/ ?\d+)?(?: ?\\?%)?")
_PHRASE = re.compile(r"\banswer(?:\s{1,3}(?:is|are|=)|\s{0,3}:)(?:\s{0,3}:)?", re.IGNORECASE)
_PROSE = re.compile(r"\b[A-Za-z]{3,40} +[A-Za-z]{2,40} +[A-Za-z]{2,40}\b")
_SENTENCE_END = re.compile(r"[.!?](?:\*\*)?\s+(?=[A-Z(])")
_CHOOSING = re.compile(
    r"\b(?:or|either|maybe|perhaps|possibly|alternatively|otherwise|else)\b|(?<!\w)/(?!\w)", re.IGNORECASE
)
_CORRECTING = re.compile(
    r"\b(?:wait|actually|correct(?:ed|ion|ing)?|no|not|sorry|mistake|wrong|instead|rather|recheck|check|should|so|thus"
    r"|therefore|hence|precisely|final|finally|equivalently|simplif\w*|i\.?e|that is|which is|equals)\b|=",
    re.IGNORECASE,
)
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,40}")
_TALKING = (
    "is are was so the it answer equals therefore hence thus we get because have that this i'm or either maybe perhaps"
)
_TALK = frozenset(_TALKING.split())
MAX_WORDS = 5
"""Words of a text without any mark that is still taken for one bare answer."""
MAX_BETWEEN = 100
"""Characters between two boxes within which they count as offered side by side."""
MAX_WHOLE = 2000
"""Characters of a text without any mark that is still taken for one bare answer."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """An answer, or `None` and the reason: `truncated`, `no_answer`, `alternatives`, `unbalanced`, `too_long`."""

    answer: str | None
    reason: str | None = None


def extract(completion: str, *, format: AnswerFormat = "boxed", truncated: bool = False) -> Extracted:
    r"""The answer of `completion`, read as the task's `format` says; never raises.

    `bare`: the whole text. `boxed`: the last `\boxed`, else `#### N`, else "the answer is N", else the whole
    text when it is one expression without prose. `gsm8k`: `#### N`, else a box. `last_number`: as `boxed`,
    else the last number anywhere.

    >>> extract(r"so \boxed{3}. No, \boxed{\frac{1}{2}}").answer
    '\\frac{1}{2}'
    """
    if truncated:
        return Extracted(None, "truncated")
    if len(completion) > MAX_COMPLETION:
        return Extracted(None, "too_long")
    text = completion
    if "<" in text:
        last = None
        for match in _THINK.finditer(text):
            last = match
        if last is not None and not last[1]:
            return Extracted(None, "truncated")
        text = text[last.end() :] if last is not None else text
    if format == "bare":
        text = text.strip()
        return Extracted(text) if text else Extracted(None, "no_answer")
    readers = (_hashes, _boxed) if format == "gsm8k" else (_boxed, _hashes, _phrase, _whole)
    for reader in readers:
        found = reader(text)
        if found is not None:
            return found
    return _last_number(text) if format == "last_number" else Extracted(None, "no_answer")


def _boxed(text: str) -> Extracted | None:
    boxes: list[tuple[int, int, str | None]] = []
    end = 0
    for match in _BOX.finditer(text):
        if match.start() < end:
            continue
        content, end = _content(text, match.end())
        boxes.append((match.start(), end, content))
    if not boxes:
        return None
    start, _, outermost = boxes[-1]
    answer = None if outermost is None else _innermost(outermost)
    if answer is None:
        return Extracted(None, "unbalanced")
    if not answer.strip():
        return Extracted(None, "no_answer")
    if len(boxes) > 1:
        _, previous_end, previous = boxes[-2]
        if previous is not None and _side_by_side(previous, answer, text[previous_end:start]):
            return Extracted(None, "alternatives")
    return Extracted(answer.strip())


def _innermost(content: str) -> str | None:
    r"""`content` without the boxes that it begins with, one within the other, in one pass; none for an open one.

    >>> _innermost(r"\boxed{\fbox{4}}")
    '4'
    """
    if not _BOX.match(content):
        return content
    closing: dict[int, int] = {}
    opened: list[int] = []
    for brace in _BRACE.finditer(content):
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            closing[opened.pop()] = brace.start()
    start, end = 0, len(content)
    while inner := _BOX.match(content, start, end):
        if content.startswith("{", inner.end()):
            if inner.end() not in closing:
                return None
            start, end = inner.end() + 1, closing[inner.end()]
        else:
            token = _TOKEN.match(content, inner.end(), end)
            if token is None:
                return None
            start, end = token.start(), token.end()
    return content[start:end]


def _side_by_side(previous: str, answer: str, between: str) -> bool:
    """Whether two different boxes are offered together: nothing but joining between them, or a choosing word."""
    if len(between) > MAX_BETWEEN or previous.strip() == answer.strip():
        return False
    values = read_number(plain(previous)), read_number(plain(answer))
    if values[0] is not None and values[0] == values[1]:
        return False
    bare = re.sub(r"[^A-Za-z/=]+", " ", between.replace("\\text", " ")).strip().casefold()
    if bare in ("", "and", "or", "also", "and also", "and or"):
        return True
    return _CHOOSING.search(between) is not None and _CORRECTING.search(between) is None


def _content(text: str, start: int) -> tuple[str | None, int]:
    r"""What a box at `start` holds, with balanced braces (or one token, `\boxed 5`), and where it ends."""
    if not text.startswith("{", start):
        match = _TOKEN.match(text, start)
        return (match[0], match.end()) if match else (None, start)
    depth = 0
    for match in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0 and match[0] == "}":
            return text[start + 1 : match.start()], match.end()
    return None, len(text)


def _hashes(text: str) -> Extracted | None:
    found = _HASHES.findall(text)
    if not found:
        return None
    answer = found[-1].strip()
    return Extracted(answer) if answer else Extracted(None, "no_answer")


def _phrase(text: str) -> Extracted | None:
    """What follows the last "the answer is" on its line, up to the end of the sentence."""
    last = None
    for match in _PHRASE.finditer(text):
        last = match
    if last is None:
        return None
    line = text[last.end() : last.end() + 400].lstrip().split("\n", 1)[0]
    sentence, *rest = _SENTENCE_END.split(line, maxsplit=1)
    answer = sentence.strip().strip("*").strip().removesuffix(".")
    if not answer or _PROSE.search(answer):
        return None
    if _CHOOSING.search(answer.replace("\\", " ")) or (rest and _CHOOSING.match(rest[0])):
        return Extracted(None, "alternatives")
    return Extracted(answer)


def _whole(text: str) -> Extracted | None:
    answer = text.strip()
    if not answer or len(answer) > MAX_WHOLE or "\n" in answer:
        return None
    spoken = [word.casefold() for word in _WORD.findall(answer)]
    return None if len(spoken) > MAX_WORDS or _TALK.intersection(spoken) else Extracted(answer)


def _last_number(text: str) -> Extracted:
    last = None
    for match in _NUMBER.finditer(text):
        last = match
    return Extracted(last[0]) if last is not None else Extracted(None, "no_answer")
