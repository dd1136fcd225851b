"""An agent without a model: it tries single edits until the visible tests pass, near the failing function first.

It sees what a model would see and nothing else. What it solves shows how far blind search gets within a budget; where
visible tests pass and hidden ones do not, it has fitted the tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from synth.environments.episode import Turn
from synth.environments.repository.faults import Fault, faults_of
from synth.environments.running import called
from synth.environments.tools import Tool

_FILE = re.compile(r"^(\w+)/(\w+)\.py \(", re.MULTILINE)
_FAILED = re.compile(r"^FAILED \S+\.test_(\w+)_\d+:", re.MULTILINE)


class Searcher:
    """A policy for one episode."""

    def __init__(self) -> None:
        self._script = self._steps()
        self._seen = ""

    def __call__(self, turns: Sequence[Turn], tools: Sequence[Tool]) -> str:
        """The next call, from what the last one showed."""
        self._seen = str(turns[-1].get("observation", turns[-1].get("text", "")))
        return next(self._script)

    def _steps(self) -> Iterator[str]:
        paths = [f"{package}/{name}.py" for package, name in _FILE.findall(self._seen) if package != "tests"]
        sources: dict[str, str] = {}
        for path in paths:
            yield called("read_file", path=path)
            sources[path] = "".join(re.sub(r"^\d+: ?", "", line) + "\n" for line in self._seen.split("\n"))
        yield called("run_tests")
        failing = list(dict.fromkeys(_FAILED.findall(self._seen)))
        for path, fault in _ranked(sources, failing):
            yield called("write_file", path=path, text=fault.applied(sources[path]))
            yield called("run_tests")
            if self._seen.endswith(" 0 failed"):
                break
            yield called("write_file", path=path, text=sources[path])
        while True:
            yield called("submit")


def _ranked(sources: dict[str, str], failing: list[str]) -> list[tuple[str, Fault]]:
    """Every edit, those in a failing function before those in its module before the others; rare kinds first."""
    made = []
    for path, source in sources.items():
        starts = [(m.start(), m[1]) for m in re.finditer(r"^(?:    )?def (\w+)\(", source, re.MULTILINE)]
        here = any(name in failing for _, name in starts)
        for fault in faults_of(path, source, {name for _, name in starts}):
            within = next((name for start, name in reversed(starts) if start <= fault.start), "")
            made.append((0 if within in failing else 1 if here else 2, path, fault))
    kinds = ("missing_branch", "wrong_variable", "contract", "boundary", "operator", "swapped_arguments")
    made.sort(key=lambda one: (one[0], -kinds.index(one[2].kind)))
    return [(path, fault) for _, path, fault in made]
