"""The handed attacks, run one after the other, with what each left behind; also run as a script by another user."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from synth.sandbox import Limits, Pool, SandboxUnavailable, Test

HONEST = "def f(x):\n    return x*x+7*x+3 if x%3 else x//2\n"
LIMITS = Limits(cpu_s=0.5, wall_s=2.0)
RIGHT = {
    "A04": ["EXCEPTION"],
    "A15": ["EXCEPTION"],
    "A17": ["VIOLATION"],
    "A19": ["MEMORY", "TIMEOUT_CPU"],
    "A24": ["TIMEOUT_CPU"],
    "A31": ["EXCEPTION", "OUTPUT_LIMIT"],
    "A32": ["OUTPUT_LIMIT"],
    "A34": ["WRONG"],
    "A36": ["CRASH"],
    "A39": ["TIMEOUT_WALL"],
    "A40": ["VIOLATION"],
    "BAD": ["WRONG"],
    "OK1": ["PASS"],
    "OK2": ["PASS"],
}


@dataclass(frozen=True)
class Outcome:
    """What one attack came to."""

    name: str
    verdict: str
    reward: float | None
    escaped: list[str]
    honest: str
    left: dict[str, int]

    @property
    def fault(self) -> str:
        """What is wrong with it, or nothing."""
        right = RIGHT.get(self.name)
        if right is not None and self.verdict not in right:
            return f"verdict {self.verdict}, not {' or '.join(right)}"
        if right is None and self.reward != 0.0:
            return f"rewarded {self.reward} ({self.verdict})"
        if self.escaped:
            return f"left files {self.escaped}"
        if self.honest != "PASS":
            return f"then an honest program got {self.honest}"
        grown = {name: n for name, n in self.left.items() if n}
        return f"left {grown}" if grown else ""


def below(pid: int) -> list[int]:
    """Every process below `pid`; threads and processes that end meanwhile are not counted."""
    found = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in children.read_text().split():
                found += [int(child), *below(int(child))]
    return found


def held() -> dict[str, int]:
    """Processes below this one, and descriptors of all of them that we may count."""
    processes = [os.getpid(), *below(os.getpid())]
    descriptors = 0
    for pid in processes:
        try:
            descriptors += len(os.listdir(f"/proc/{pid}/fd"))
        except OSError:
            continue
    return {"processes": len(processes), "descriptors": descriptors}


def run_all(cases: Path, backend: str) -> list[Outcome]:
    """The outcome of every handed program on one worker of one backend."""
    handed = json.loads((cases / "sandbox_attacks.json").read_text())
    tests = [Test(args=tuple(t["args"]), expected=t["expected"]) for t in handed["tests"]]
    outcomes = []
    escape = tempfile.mkdtemp(prefix="escape-")
    os.chmod(escape, 0o777)
    try:
        with Pool(workers=1, limits=LIMITS, backend=backend) as pool:
            pool.verify(HONEST, tests, entry="f")
            before = held()
            for case in handed["programs"]:
                result = pool.verify(case["program"].replace("@ESCAPE@", escape), tests, entry=handed["entry"])
                escaped = os.listdir(escape)
                honest = pool.verify(HONEST, tests, entry="f").verdict
                after = held()
                left = {name: after[name] - before[name] for name in before}
                outcomes.append(Outcome(case["id"], result.verdict, result.reward, escaped, honest, left))
    finally:
        shutil.rmtree(escape)
    return outcomes


def report(cases: Path, backends: list[str]) -> dict[str, dict[str, str] | str]:
    """For each of the backends that works: attack -> fault, empty when all is well."""
    found: dict[str, dict[str, str] | str] = {}
    for backend in backends:
        try:
            outcomes = run_all(cases, backend)
        except SandboxUnavailable as reason:
            found[backend] = str(reason)
        else:
            found[backend] = {outcome.name: outcome.fault for outcome in outcomes}
    return found


if __name__ == "__main__":
    print(json.dumps({"uid": os.getuid(), "backends": report(Path(sys.argv[1]), sys.argv[2:])}))
