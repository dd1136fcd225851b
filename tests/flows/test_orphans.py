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

    def start(parent: int, *, word: str = "trainer.run", home=tmp_path):
        environment = os.environ | {"PREFECT_HOME": str(home / "prefect"), PARENT: str(parent)}
        process = subprocess.Popen([sys.executable, "-c", SLEEPER, word], env=environment)
        started.append(process)
        while word not in psutil.Process(process.pid).cmdline():
            time.sleep(0.01)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_only_children_of_this_home_whose_run_is_gone_are_ended(child, tmp_path):
    orphan = child(parent=1)
    waited_for = child(parent=os.getpid())
    elsewhere = child(parent=1, home=tmp_path / "other")
    another = child(parent=1, word="something.else")
    assert end_orphans(tmp_path) == 1
    assert not psutil.pid_exists(orphan.pid)
    assert [process.poll() for process in (waited_for, elsewhere, another)] == [None, None, None]
    assert end_orphans(tmp_path) == 0
