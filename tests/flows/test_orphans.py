"""A run that is killed leaves children; the next run ends them, and no others."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import psutil
import pytest

from flows.orphans import PARENT, end_orphans

SLEEPER = "import time; time.sleep(60)"


@pytest.fixture
def child(tmp_path):
    started = []

    def start(parent: int | None, *, word: str = "trainer.run", home=tmp_path):
        environment = os.environ | {"PREFECT_HOME": str(home / "prefect")}
        environment.pop(PARENT, None)
        if parent is not None:
            environment[PARENT] = str(parent)
        process = subprocess.Popen([sys.executable, "-c", SLEEPER, word], env=environment)
        started.append(process)
        while word not in psutil.Process(process.pid).cmdline():
            time.sleep(0.01)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def ended() -> int:
    """The id of a process that is gone."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_only_children_of_this_home_whose_run_is_gone_are_ended(child, tmp_path):
    gone = ended()
    orphan = child(parent=gone)
    waited_for = child(parent=os.getpid())
    below_another = child(parent=os.getppid())
    unmarked = child(parent=None)
    elsewhere = child(parent=gone, home=tmp_path / "other")
    another = child(parent=gone, word="something.else")
    assert end_orphans(tmp_path / "prefect") == 1
    assert not psutil.pid_exists(orphan.pid)
    assert [process.poll() for process in (waited_for, below_another, unmarked, elsewhere, another)] == [None] * 5
    assert end_orphans(tmp_path / "prefect") == 0


def test_a_home_is_the_same_by_every_way_to_it(child, tmp_path):
    (tmp_path / "beside").mkdir()
    (tmp_path / "link").symlink_to(tmp_path)
    for way in ("beside/../prefect", "link/prefect"):
        child(parent=ended())
        assert end_orphans(tmp_path / way) == 1
