"""Prompt leak: what decides must not all stand in the prompt."""

from __future__ import annotations

from collections.abc import Sequence

from synth.evidence.check import PASSED, Bench, Finding, Subject, check, failed
from synth.sandbox import Test


@check("prompt_leak", version=1, lineage="text", order=20)
def prompt_leak(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
    """Fails a code task whose every graded call is shown to the policy, and a math task that writes its own answer."""
    return [_finding(subject) for subject in subjects]


def _finding(subject: Subject) -> Finding:
    task = subject.task
    squeezed = "".join(task.prompt.split())
    if task.answer_kind != "program":
        marks = (f"\\boxed{{{task.gold}}}", f"####{task.gold}")
        return failed("prompt_leak: answer in prompt") if any(mark in squeezed for mark in marks) else PASSED
    if not subject.graded:
        return failed("prompt_leak: no test")
    visible = [(test.args, dict(test.kwargs)) for test in subject.item.tests]
    hidden = [
        test
        for test in subject.item.hidden_tests
        if (test.args, dict(test.kwargs)) not in visible and _text(task.entry, test) not in squeezed
    ]
    if not hidden:
        return failed("prompt_leak: every graded assertion is shown", n_graded=len(subject.graded))
    return PASSED


def _text(entry: str | None, test: Test) -> str:
    """The call as it would be written, or the whole check program, without spaces."""
    if test.check is not None:
        return "".join(test.check.split())
    words = [repr(value) for value in test.args] + [f"{key}={value!r}" for key, value in test.kwargs.items()]
    return "".join(f"{entry}({','.join(words)})".split())
