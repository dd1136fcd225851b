"""The tutorial does what it says: its blocks run in a process of their own, and are found by entry point."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from pages import DOCS, ROOT, blocks

PAGE = DOCS / "tutorial.md"
MADE = blocks(PAGE.read_text(encoding="utf-8"))
NAMES = """
from curriculum.detectors import DETECTORS
from curriculum.schedulers import SCHEDULERS
from synth.evidence import CHECKS
from synth.family import FAMILIES
from synth.graders import GRADERS
names = ("odd_sum", "short_prompt", "plain_ascii", "last_mixed", "slow_answers")
for registry, name in zip((FAMILIES, CHECKS, GRADERS, SCHEDULERS, DETECTORS), names, strict=True):
    registry.get(name)
"""


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, text=True, env={"PYTHONPATH": f"{folder}:{ROOT}"}
    )


def test_every_block_of_the_tutorial_runs(tmp_path):
    said = run([str(ROOT / "tests" / "docs" / "run_tutorial.py"), str(PAGE)], tmp_path)
    assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.parametrize("block", [b for b in MADE if b.language == "python"], ids=lambda block: block.title)
def test_an_extension_takes_less_than_forty_lines(block):
    assert len(block.body.splitlines()) < 40


def test_what_the_tutorial_makes_is_found_by_entry_point(tmp_path):
    for block in MADE:
        if block.language == "python":
            (tmp_path / block.title).write_text(block.body, encoding="utf-8")
    declared = next(tomllib.loads(block.body) for block in MADE if block.title == "entry_points")
    package = tmp_path / "mine-0.1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 0.1\n")
    groups = declared["project"]["entry-points"].items()
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()) for group, points in groups]
    (package / "entry_points.txt").write_text("\n".join(lines))
    said = run(["-c", NAMES], tmp_path)
    assert said.returncode == 0, said.stderr
