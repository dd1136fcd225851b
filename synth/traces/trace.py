"""One logged interaction: what was asked, what was answered, and what people or programs said of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from synth.graders.kinds.injection import injected
from synth.traces.lists import listed
from synth.traces.masking import MASKING_VERSION, mask
from warehouse.records import Domain, JsonValue, Split, Task, TaskKind, content_hash

LONGEST = 40_000
"""Characters of one part of a trace."""
ANSWER_KIND = "trace"
Outcome = Literal["failed", "passed", "unknown"]

_FAILED = listed(
    "fail failed failure false no wrong incorrect bad negative thumbs_down thumbsdown down dislike disliked "
    "rejected reject error unhelpful poor \U0001f44e"
)
_PASSED = listed(
    "pass passed success true yes right correct good positive thumbs_up thumbsup up like liked accepted accept ok "
    "helpful great \U0001f44d"
)
_UNKNOWN = listed("unknown none null undecided neutral skipped n/a na")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A masked interaction. `group` is the weakness it belongs to: as the log says, or by what is asked."""

    prompt: str
    completion: str
    feedback: str = ""
    outcome: Outcome = "unknown"
    group: str = ""
    masked: Mapping[str, int] = field(default_factory=dict)
    hidden: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    """Words of what was masked, in memory alone: no group is called by one."""

    @property
    def identity(self) -> str:
        """Hash of what was said and how it came out."""
        return content_hash("trace", self.prompt, self.completion, self.feedback, self.outcome)


def read_trace(row: Mapping[str, Any]) -> Trace | str:
    """The trace in a row, masked, or why there is none; a reason quotes nothing of the row.

    A row has `prompt` (a text, or messages with `role` and `content`) and `completion`, and `verdict` or `feedback` or
    both; `group` names the weakness. Other keys are not read.

    >>> trace = read_trace({"prompt": "Add 2 and 2. I am Ann Lee.", "completion": "5", "verdict": False})
    >>> trace.prompt, trace.outcome
    ('Add 2 and 2. I am [NAME_1].', 'failed')
    >>> read_trace({"prompt": "Add 2 and 2.", "completion": "5"})
    'trace: neither verdict nor feedback'
    """
    prompt, completion = _text(row.get("prompt")), _text(row.get("completion"))
    feedback, group = _said(row.get("feedback")), _said(row.get("group"))
    if not prompt or not completion:
        return f"trace: {'completion' if prompt else 'prompt'} missing"
    if row.get("verdict") is None and not feedback:
        return "trace: neither verdict nor feedback"
    if max(map(len, (prompt, completion, feedback, group))) > LONGEST:
        return f"trace: longer than {LONGEST} characters"
    outcome = outcome_of(row.get("verdict")) if row.get("verdict") is not None else outcome_of(feedback) or "unknown"
    if outcome is None:
        return "trace: verdict is neither pass nor fail"
    if not _storable(prompt, completion, feedback, group):
        return "trace: not text"
    found = mask([prompt, completion, feedback, group])
    if any(injected(text) for text in found.texts):
        return "trace: addresses the judge"
    said = dict(zip(("prompt", "completion", "feedback", "group"), found.texts, strict=True))
    return Trace(**said, outcome=outcome, masked=found.counts, hidden=found.words)


def outcome_of(verdict: object) -> Outcome | None:
    """How an interaction came out by its verdict: a word, a truth, or a number (1 for right, 0 and below for wrong).

    >>> outcome_of("thumbs_down"), outcome_of(1), outcome_of(0.4), outcome_of("perhaps")
    ('failed', 'passed', 'failed', None)
    """
    if isinstance(verdict, bool):
        return "passed" if verdict else "failed"
    if isinstance(verdict, int | float):
        return ("passed" if verdict == 1 else "failed") if -1 <= verdict <= 1 else None
    if not isinstance(verdict, str):
        return None
    word = verdict.strip().casefold().replace(" ", "_").replace("-", "_")
    if word in _UNKNOWN:
        return "unknown"
    return "failed" if word in _FAILED else "passed" if word in _PASSED else None


def in_group(trace: Trace, group: str) -> Trace:
    """The trace as one of `group`."""
    return replace(trace, group=group)


def seed_task(trace: Trace, *, source: str, index: int) -> Task:
    """The row of a trace: no task to train on, but material that tasks are written from."""
    told: dict[str, JsonValue] = {
        "completion": trace.completion, "feedback": trace.feedback, "outcome": trace.outcome,
        "masked": dict(trace.masked), "masking": MASKING_VERSION,
    }  # fmt: skip
    return Task(
        task_id=trace.identity,
        domain=Domain.RUBRIC,
        family=trace.group or source,
        level=0,
        params={"version": 1, "seed": 0, "index": index, "trace": told},
        prompt=trace.prompt,
        answer_kind=ANSWER_KIND,
        source=source,
        split=Split.TRAIN,
        kind=TaskKind.NON_VERIFIABLE,
    )


def _text(value: object) -> str:
    """A text, or messages as lines `role: content`; empty where there is neither."""
    if isinstance(value, str):
        return value.strip()
    if not isinstance(value, list):
        return ""
    turns = [(one.get("role"), one.get("content")) for one in value if isinstance(one, dict)]
    if len(turns) != len(value) or not all(isinstance(role, str) and isinstance(said, str) for role, said in turns):
        return ""
    return "\n".join(f"{role}: {said}" for role, said in turns).strip()


def _said(value: object) -> str:
    if value is None or isinstance(value, str):
        return (value or "").strip()
    return json.dumps(value, ensure_ascii=False)


def _storable(*texts: str) -> bool:
    try:
        return b"\0" not in "".join(texts).encode()
    except UnicodeEncodeError:
        return False
