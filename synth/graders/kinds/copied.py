"""A completion that repeats a reference which it was never shown."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from pydantic import Field

from synth.graders.grader import Case, Grade, Kind, Params, Referee, grader
from synth.graders.programs import code_of
from synth.syntax import tree_of

_WORD = re.compile(r"\w+")


class CopiedParams(Params):
    """Settings of `copied`."""

    min_nodes: int = Field(60, ge=20)
    """Syntax nodes of a program from which being the reference, names and all, is no coincidence."""
    run: int = Field(40, ge=15)
    """Words in a row shared with a reference text that are no coincidence."""


def program_shape(source: str) -> tuple[str, int] | None:
    """A program without comments, docstrings and layout, its names kept, and its number of syntax nodes."""
    try:
        tree = tree_of(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef | ast.Module) and ast.get_docstring(
            node
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree), sum(1 for _ in ast.walk(tree))


@grader("copied", version=1, kind=Kind.ANTI_CHEAT)
class Copied:
    """A cheat where a long completion is the hidden reference, word for word or name for name."""

    Settings = CopiedParams

    def __init__(self, params: CopiedParams, referee: Referee | None) -> None:
        self._params = params

    def grade(self, cases: Sequence[Case]) -> list[Grade]:
        """1 for honest cases; 0 and a cheat for the others."""
        return [self._grade(case) for case in cases]

    def _grade(self, case: Case) -> Grade:
        reference = case.task.reference
        if reference is None or " ".join(reference.split()) in " ".join(case.task.prompt.split()):
            return Grade(1.0)
        if self._same_program(reference, code_of(case.completion, case.task.entry)):
            return Grade(0.0, cheat=True, detail="the program is the reference")
        if self._same_run(reference, case.completion, case.task.prompt):
            return Grade(0.0, cheat=True, detail=f"{self._params.run} words in a row are the reference's")
        return Grade(1.0)

    def _same_program(self, reference: str, code: str) -> bool:
        shapes = program_shape(reference), program_shape(code)
        if shapes[0] is None or shapes[1] is None:
            return False
        return shapes[0][0] == shapes[1][0] and shapes[0][1] >= self._params.min_nodes

    def _same_run(self, reference: str, completion: str, prompt: str) -> bool:
        if program_shape(reference) is not None:
            return False
        seen, shown, n = self._runs(reference), self._runs(prompt), self._params.run
        words = _WORD.findall(completion.casefold())
        return any(tuple(words[i : i + n]) in seen - shown for i in range(len(words) - n + 1)) if seen else False

    def _runs(self, text: str) -> set[tuple[str, ...]]:
        words, n = _WORD.findall(text.casefold()), self._params.run
        return {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}
