r"""The one answer that a completion commits to: the last `\boxed`, `#### 72`, a bare answer, or the last number.

Alternatives offered side by side, guesses in a list, an unfinished thinking block and a truncated text
are no answer. A later correction wins over an earlier box.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

AnswerFormat = Literal["bare", "boxed", "last_number", "gsm8k"]
"""How a task asks for its answer; kept in `Task.params["answer_format"]`, `boxed` when absent."""

MAX_COMPLETION = 1_000_000
"""Characters of a completion that are read; longer ones hold no answer."""

_BOX = re.compile(r"\\(?:boxed|fbox)(?![a-zA-Z])\s*")
_HASHES = re.compile(r"####[ \t]*([^\n]*)")
_NUMBER = re.compile(r"(?<![\w.,])[-+\u2212]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[ ]?/[ ]?\d+)?(?:[ ]?\\?%)?")
_ALTERNATIVE = re.compile(r"(?:\bor\b|\beither\b|/|\bmaybe\b|\bperhaps\b|\balternatively\b|,)", re.IGNORECASE)
_PHRASE = re.compile(r"(?:final answer|the answer|answer)\s*(?:is|:|=)\s*:?\s*(?P<answer>[^\n]+)", re.IGNORECASE)
_PROSE = re.compile(r"[A-Za-z]{3,}\s+[A-Za-z]{2,}\s+[A-Za-z]{2,}")


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
    if "think>" in text:
        opened, closed = text.rfind("<think>"), text.rfind("</think>")
        if opened > closed:
            return Extracted(None, "truncated")
        text = text[closed + len("</think>") :]
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
    start, _, answer = boxes[-1]
    if answer is None:
        return Extracted(None, "unbalanced")
    if not answer.strip():
        return Extracted(None, "no_answer")
    if len(boxes) > 1:
        _, previous_end, previous = boxes[-2]
        between = text[previous_end:start]
        beside = len(between) <= 40 and "\n" not in between.strip("\n") and _ALTERNATIVE.search(between)
        if beside and previous is not None and previous.strip() != answer.strip():
            return Extracted(None, "alternatives")
    return Extracted(answer.strip())


def _content(text: str, start: int) -> tuple[str | None, int]:
    """What a box at `start` holds, with balanced braces (or one token, `\\boxed 5`), and where it ends."""
    if not text.startswith("{", start):
        match = re.match(r"[-+]?[\w.]+", text[start:])
        return (match[0], start + match.end()) if match else (None, start)
    depth, i = 0, start
    while i < len(text):
        c = text[i]
        if c == "\\":
            i += 2
            continue
        if c == "{":
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0:
                return text[start + 1 : i], i + 1
        i += 1
    return None, len(text)


def _hashes(text: str) -> Extracted | None:
    found = _HASHES.findall(text)
    if not found:
        return None
    answer = found[-1].strip()
    return Extracted(answer) if answer else Extracted(None, "no_answer")


def _phrase(text: str) -> Extracted | None:
    last = None
    for last in _PHRASE.finditer(text):
        pass
    if last is None:
        return None
    answer = last["answer"].strip().strip("*").strip()
    if not answer or _PROSE.search(answer):
        return None
    if re.search(r"\bor\b", answer):
        return Extracted(None, "alternatives")
    return Extracted(answer)


def _whole(text: str) -> Extracted | None:
    answer = text.strip()
    if not answer or "\n" in answer or _PROSE.search(answer):
        return None
    return Extracted(answer)


def _last_number(text: str) -> Extracted:
    found = _NUMBER.findall(text)
    return Extracted(found[-1]) if found else Extracted(None, "no_answer")
