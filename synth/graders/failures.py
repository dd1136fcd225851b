"""Why rollouts failed: one cause from a fixed vocabulary for each, and their counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from synth.graders.judged import Judged
from warehouse.records import Judgement

_RAISED = re.compile(r"\(([A-Z]\w{2,40}(?:Error|Exception|Interrupt|Exit|Iteration|Warning))\)")
CAUSES = {
    Judgement.PASS: "pass",
    Judgement.WRONG: "wrong",
    Judgement.TIMEOUT_CPU: "timeout:cpu",
    Judgement.TIMEOUT_WALL: "timeout:wall",
    Judgement.MEMORY: "memory",
    Judgement.OUTPUT_LIMIT: "output_limit",
    Judgement.CRASH: "crash",
    Judgement.VIOLATION: "violation",
    Judgement.UNSTABLE: "unstable",
    Judgement.TRUNCATED: "truncated",
    Judgement.UNDECIDED: "undecided",
    Judgement.INFRA: "infra",
}
"""The cause of each judgement that has only one."""


def cause(word: Judged) -> str:
    """The cause of a rollout's end: `pass`, `wrong`, `format:alternatives`, `exception:ValueError`, `cheat:copied`, ...

    >>> from synth.graders.judged import judged
    >>> cause(judged(Judgement.EXCEPTION, "EXCEPTION: raised an exception (ValueError); 0 of 2 tests passed"))
    'exception:ValueError'
    """
    if word.judgement is Judgement.CHEAT:
        return f"cheat:{word.cheats[0] if word.cheats else 'unknown'}"
    if word.judgement is Judgement.NO_ANSWER:
        return f"format:{word.detail.split(';')[0].strip() or 'no_answer'}"
    if word.judgement in (Judgement.EXCEPTION, Judgement.LOAD_ERROR):
        raised = _RAISED.search(word.detail)
        kind = "exception" if word.judgement is Judgement.EXCEPTION else "load_error"
        return f"{kind}:{raised[1]}" if raised else kind
    return CAUSES[word.judgement]


def cause_of_failure(word: Judged) -> str | None:
    """The cause as rollouts store it: none for a pass."""
    found = cause(word)
    return None if found == "pass" else found


def failures(words: Iterable[Judged]) -> dict[str, int]:
    """How often each cause but `pass` occurs, most frequent first, ties by name."""
    counts = Counter(cause(word) for word in words)
    counts.pop("pass", None)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
