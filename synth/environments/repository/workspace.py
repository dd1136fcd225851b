"""The environment that a repair lives in: the policy's own copy of the files, and tools to look, change and test.

The copy is the policy's to do with as it likes, tests included: only the patch from the given files to the copy is
handed in. Hidden tests are not in it, nor anywhere that a tool can reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from synth.environments.environment import environment
from synth.environments.repository.grading import LIMITS, files_of, grade
from synth.environments.repository.loading import RUN_TESTS, program
from synth.environments.repository.patches import MAX_FILES, MAX_TEXT, applied, difference, placed
from synth.environments.tools import Infrastructure, Tool, ToolError, tool, tools_of
from synth.graders.judged import Judged
from synth.sandbox import Pool, Test
from warehouse.records import Judgement, Task

MOST_HITS, MOST_TESTS = 60, 40


@environment("repository", version=1)
class Repository:
    """A package with faults, to be repaired so that hidden tests pass."""

    name: ClassVar[str]
    version: ClassVar[int]

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._given: dict[str, str] = {}
        self._files: dict[str, str] = {}
        self._package = ""

    def reset(self, task: Task) -> str:
        """A fresh copy of the task's files; the task's prompt and the names of the files."""
        self._given, self._files = files_of(task), files_of(task)
        self._package = str(task.params["package"])
        return f"{task.prompt}\n\nFiles:\n{self.list_files()}"

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools on the copy."""
        return tools_of(self)

    def submission(self) -> str:
        """The patch from the given files to the copy."""
        return difference(self._given, self._files)

    def close(self) -> None:
        """Nothing is held."""

    @classmethod
    def grade(cls, task: Task, submission: str, pool: Pool) -> Judged:
        """The word on a patch, by hidden tests on a pristine copy."""
        return grade(task, submission, pool)

    @tool
    def list_files(self) -> str:
        """List every file with its number of lines."""
        return "\n".join(f"{path} ({text.count(chr(10))} lines)" for path, text in sorted(self._files.items()))

    @tool
    def read_file(self, path: str, start: int = 1, end: int | None = None) -> str:
        """Read a file, or its lines from start to end, counted from 1."""
        lines = self._text(path).split("\n")
        last = len(lines) - (lines[-1] == "") if end is None else end
        if not 1 <= start <= len(lines) or last < start - 1:
            raise ToolError(f"{path} has {len(lines)} lines; there is nothing from {start} to {last}")
        return "\n".join(f"{k}: {line}" for k, line in enumerate(lines[start - 1 : last], start))

    @tool
    def search(self, text: str, path: str = "") -> str:
        """Find the lines that hold a text, in every file or in those whose path begins so."""
        if not text:
            raise ToolError("search needs a text of at least one character")
        hits = [
            f"{name}:{k}: {line[:200]}"
            for name, content in sorted(self._files.items())
            if name.startswith(path)
            for k, line in enumerate(content.split("\n"), 1)
            if text in line
        ]
        more = f"\n[{len(hits) - MOST_HITS} more]" if len(hits) > MOST_HITS else ""
        return "\n".join(hits[:MOST_HITS]) + more if hits else f"no line holds {text[:80]!r}"

    @tool
    def write_file(self, path: str, text: str) -> str:
        """Write a whole file, new or not."""
        name = placed(path)
        self._keep({**self._files, name: text})
        return f"wrote {name}: {text.count(chr(10))} lines"

    @tool
    def replace(self, path: str, old: str, new: str) -> str:
        """Replace a text that occurs exactly once in a file."""
        content = self._text(path)
        n = content.count(old) if old else 0
        if n != 1:
            raise ToolError(f"the text to replace occurs {n} times in {path}, not once; give more of what is around it")
        self._keep({**self._files, placed(path): content.replace(old, new)})
        line = content[: content.index(old)].count("\n") + 1
        return f"replaced at line {line} of {path}"

    @tool
    def apply_patch(self, patch: str) -> str:
        """Apply a unified diff, all of it or nothing."""
        after = applied(self._files, patch)
        changed = sorted(path for path in {*after, *self._files} if after.get(path) != self._files.get(path))
        self._files = after
        return f"changed: {', '.join(changed) or 'nothing'}"

    @tool
    def delete_file(self, path: str) -> str:
        """Remove a file."""
        self._text(path)
        del self._files[placed(path)]
        return f"removed {path}"

    @tool
    def run_tests(self, name: str = "") -> str:
        """Run the tests of the tests folder, or those whose name holds a text."""
        modules = sorted(
            path[:-3].replace("/", ".")
            for path in self._files
            if path.startswith("tests/") and path.endswith(".py") and path.rpartition("/")[2].startswith("test")
        )
        source = program(self._files, [self._package, "tests"], tests=True)
        ran = self._pool.run(source, [Test(args=(modules, name))], entry=RUN_TESTS, limits=LIMITS)
        if ran.verdict is Judgement.INFRA:
            raise Infrastructure(ran.detail)
        if ran.verdict is not Judgement.PASS:
            note = ran.outputs[-1].message if ran.outputs else ran.detail
            raise ToolError(f"the tests did not finish: {ran.verdict}: {note[:300]}")
        return _report(ran.values[0])

    def _text(self, path: str) -> str:
        name = placed(path)
        if name not in self._files:
            raise ToolError(f"there is no file {name}; see list_files")
        return self._files[name]

    def _keep(self, files: dict[str, str]) -> None:
        if len(files) > MAX_FILES or sum(map(len, files.values())) > MAX_TEXT:
            raise ToolError(f"the copy may hold {MAX_FILES} files and {MAX_TEXT} characters; nothing was written")
        self._files = files


def _report(rows: object) -> str:
    """What tests said of themselves, in bounds; it is the candidate's process that says it, and decides nothing."""
    listed = [row for row in rows if isinstance(row, tuple) and len(row) == 3] if isinstance(rows, list) else []
    failed = [(str(name)[:120], str(said)[:400]) for name, passed, said in listed if passed is not True]
    lines = [f"FAILED {name}: {said}" for name, said in failed[:MOST_TESTS]]
    lines += [f"[{len(failed) - MOST_TESTS} more failed]"] * (len(failed) > MOST_TESTS)
    return "\n".join([*lines, f"{len(listed) - len(failed)} passed, {len(failed)} failed"])
