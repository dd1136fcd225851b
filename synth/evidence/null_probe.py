"""Null probe: constant, echo, empty and most common answers must fail, for a guessable task teaches nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from synth.evidence.check import PASSED, Bench, Finding, Subject, check, failed, trusted, undecided
from synth.family import FAMILIES
from synth.sandbox import Test
from synth.tasks import make_item
from warehouse.records import Judgement

N_SAMPLE = 128
MOST_COMMON_SHARE = 0.25
"""An answer given by at least this share of a level's items is a guess that must not be right."""

TEXTS = ("yes", "no", "true", "false", "0", "1", "a", "A")
NUMBERS = ("0", "1")
CONSTANTS = ("None", "0", "True", "[]", "''")


@check("null_probe", version=1, lineage="probes", order=30)
def null_probe(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
    """Fails a task that an answer made without reading the question gets right.

    A guess about which the judge cannot decide earns nothing, so it does not count against the task.
    """
    findings: list[Finding] = [PASSED] * len(subjects)
    owners, names, completions = [], [], []
    for i, subject in enumerate(subjects):
        if (guess := _guess_by_tests(subject)) is not None:
            findings[i] = failed(f"null_probe: {guess} passes")
            continue
        for name, completion in _probes(subject):
            owners.append(i)
            names.append(name)
            completions.append(completion)
    words = bench.judge([subjects[i].task for i in owners], completions, trusted=trusted(subjects))
    for i, name, completion, word in zip(owners, names, completions, words, strict=True):
        if word is Judgement.PASS:
            findings[i] = failed(f"null_probe: {name} passes", completion=completion)
        elif word is Judgement.INFRA and findings[i] is PASSED:
            findings[i] = undecided(f"null_probe: {name} {word}")
    return findings


def _guess_by_tests(subject: Subject) -> str | None:
    """A guess that the graded tests themselves show to be right: one result for all calls, or an argument returned."""
    tests = subject.graded
    if not tests or subject.task.answer_kind != "program" or any(_is_opaque(test) for test in tests):
        return None
    if all(_same(test.expected, tests[0].expected) for test in tests[1:]):
        return "constant"
    for place in range(min(len(test.args) for test in tests)):
        if all(_same(test.expected, test.args[place]) for test in tests):
            return "echo"
    return None


def _is_opaque(test: Test) -> bool:
    """Whether the test itself does not say what is called and what must come back."""
    return bool(test.check or test.through or test.methods) or test.stdin is not None


def _same(left: object, right: object) -> bool:
    return type(left) is type(right) and left == right


def _probes(subject: Subject) -> list[tuple[str, str]]:
    task = subject.task
    common = [("most common", answer) for answer in _common(task.family, task.level)] if subject.family else []
    if task.answer_kind == "program":
        return _programs(subject) + common
    words = TEXTS if task.answer_kind == "text" else NUMBERS
    echoes = [task.prompt, task.prompt.rstrip("?").split(" ", 1)[-1]]
    probes = [("constant", word) for word in words] + [("echo", echo) for echo in echoes] + [("empty", "")]
    probes += [("arithmetic copied from the prompt", piece) for piece in _expressions(task.prompt)]
    format = task.params.get("answer_format", "boxed")
    if format == "gsm8k":
        probes = [(name, f"#### {text}") for name, text in probes if len(text) < 200]
    elif format != "bare":
        probes = [(name, f"\\boxed{{{text}}}") for name, text in probes if len(text) < 200]
    return probes + common


def _expressions(prompt: str) -> list[str]:
    """The longest piece of the prompt that reads as arithmetic: an equal number is not an answer."""
    pieces = [piece.strip() for piece in re.findall(r"[-+*/^()\d. ]{3,}", prompt)]
    found = [piece for piece in pieces if re.search(r"\d.*[-+*/^].*\d", piece)]
    return [max(found, key=len).rstrip(". ")] if found else []


def _programs(subject: Subject) -> list[tuple[str, str]]:
    """Guesses that must be run, because the tests or the scaffold do not show what they come to."""
    scaffold, entry = subject.task.scaffold, subject.task.entry
    if scaffold is not None and "return {completion}" in scaffold:
        return []
    if scaffold is not None and not scaffold.endswith("{completion}"):
        return [("empty", "")]
    if not any(_is_opaque(test) for test in subject.graded):
        return []
    head = f"def {entry}(*args):\n" if scaffold is None else ""
    return [("constant", f"{head}    return {value}\n") for value in CONSTANTS]


@lru_cache(maxsize=1024)
def _common(name: str, level: int) -> tuple[str, ...]:
    """References that at least `MOST_COMMON_SHARE` of a sample of the level's items have."""
    items = [make_item(FAMILIES.get(name), level=level, seed=2**31, index=index) for index in range(N_SAMPLE)]
    counts = Counter(item.reference for item in items)
    return tuple(answer for answer, count in counts.most_common(3) if count >= MOST_COMMON_SHARE * N_SAMPLE)
