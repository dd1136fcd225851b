"""From a completion of a code task to the program that its tests run, and those tests."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from warehouse.records import Task

if TYPE_CHECKING:
    from synth.sandbox import Test

MARKER = "{completion}"
"""Where a task's scaffold takes the completion."""
_FENCE = re.compile(
    r"^[ \t]*```[ \t]*(?:python3?|py)?[ \t]*\r?\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE | re.IGNORECASE
)
_THINK = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)


def program_of(task: Task, completion: str) -> str:
    """The program that tests run: the scaffold with the completion's code in it, or the code alone.

    The line end before a closing fence is no part of what goes into a scaffold: there the marker may stand in a text.
    """
    code = code_of(completion, task.entry)
    if task.scaffold is None:
        return code
    return task.scaffold.replace(MARKER, code if code == completion else code.removesuffix("\n"))


def code_of(completion: str, entry: str | None = None) -> str:
    r"""The code of a completion: its last fenced block that defines `entry`, else its last block, else all of it.

    What stands before the end of a thinking block is no code.

    >>> code_of("Sure:\n```python\ndef f(): return 1\n```\nDone.")
    'def f(): return 1\n'
    """
    *_, completion = _THINK.split(completion) if "</" in completion else (completion,)
    if "```" not in completion:
        return completion
    blocks: list[str] = _FENCE.findall(completion)
    if not blocks:
        return completion
    defining = [
        block
        for block in blocks
        if entry and re.search(rf"\b(?:def|class) +{re.escape(entry)}\b|^{re.escape(entry)} *=", block, re.MULTILINE)
    ]
    return (defining or blocks)[-1]


@lru_cache(maxsize=8192)
def tests_of(visible: str | None, hidden: str | None) -> tuple[Test, ...]:
    """The visible and hidden tests of a task, read once."""
    from synth.sandbox import load_tests

    return (*load_tests(visible or "[]"), *load_tests(hidden or "[]"))
