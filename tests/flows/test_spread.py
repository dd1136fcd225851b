"""Evidence gathered by several workers: the same tasks whoever gathers it, and a dead worker costs a batch's time."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.crew import runner_of
from flows.settings import Settings
from flows.spread import CHEAPER, LARGEST, SMALLEST, batches_of
from synth.ahead import examine_ahead
from synth.graders import Judge
from synth.pipeline import synthesize
from synth.proposals import Request
from warehouse.errors import UserError

REQUESTS = [Request("rev", level, 30, 3) for level in (3, 4)] + [Request("cut", 1, 12, 3), Request("max", 2, 40, 3)]
VERB = [
    "--family",
    "rev",
    "--family",
    "max",
    "--family",
    "mix",
    "--family",
    "cut",
    "--n",
    "300",
    "--seed",
    "3",
    "--json",
]
STORED = "select task_id, status from current_tasks order by task_id"


@given(st.lists(st.integers(1, 256), max_size=60), st.integers(1, 8))
def test_batches_hold_every_request_once_in_order_and_are_not_small(sizes, workers):
    for family, least, most in (("mix", SMALLEST, LARGEST), ("rev", CHEAPER * SMALLEST, CHEAPER * LARGEST)):
        requests = [Request(family, 2, n, 0, start) for start, n in enumerate(sizes)]
        batches = batches_of(requests, workers)
        assert [request for batch in batches for request in batch] == requests
        held = [sum(request.n for request in batch) for batch in batches]
        assert all(least <= n < most + 256 for n in held[:-1])


def test_evidence_gathered_ahead_admits_the_same_tasks():
    def rows(batches):
        found = [record for batch in batches for record in batch.records]
        kinds = ("attempt_id", "outcome", "reason", "task_id", "status", "check", "evidence")
        return [[getattr(row, kind, None) for kind in kinds] for row in found]

    with Judge(workers=1) as judge:
        plain = rows(synthesize(REQUESTS, campaign_id="c", judge=judge))
        early = {request: examine_ahead(request, judge) for request in reversed(REQUESTS)}
        assert rows(synthesize(REQUESTS, campaign_id="c", judge=judge, ahead=early.__getitem__)) == plain


def test_ray_that_is_not_installed_is_named():
    if importlib.util.find_spec("prefect_ray"):
        pytest.skip("prefect-ray is installed")
    with pytest.raises(UserError, match=r"pip install 'gradatim\[ray\]'"):
        runner_of(Settings(task_runner="ray"))


@pytest.fixture(scope="module")
def alone(gradatim, tmp_path_factory):
    """What one process makes by itself."""
    home = tmp_path_factory.mktemp("alone")
    made = gradatim(home, "synth", *VERB, GRADATIM_WORKERS="1")
    assert made.code == 0, made.err
    return made.value, gradatim(home, "sql", STORED, "--json").value


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["threads", "processes", "ray"])
def test_every_kind_of_worker_accepts_the_same_tasks(gradatim, alone, tmp_path, kind):
    if kind == "ray" and not importlib.util.find_spec("prefect_ray"):
        pytest.skip("prefect-ray is not installed")
    made = gradatim(tmp_path, "synth", *VERB, GRADATIM_TASK_RUNNER=kind, GRADATIM_WORKERS="2")
    assert made.code == 0, made.err
    assert (made.value, gradatim(tmp_path, "sql", STORED, "--json").value) == alone


@pytest.mark.slow
def test_a_worker_that_is_killed_has_its_batch_done_again(gradatim, alone, tmp_path):
    command = [sys.executable, "-c", "from flows.cli import main; main()", "--home", str(tmp_path), "synth", *VERB]
    environment = os.environ | {"GRADATIM_TASK_RUNNER": "processes", "GRADATIM_WORKERS": "2"}
    run = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    worker = None
    while worker is None and run.poll() is None:
        time.sleep(0.2)
        worker = next(
            (one for one in psutil.Process(run.pid).children() if "spawn_main" in " ".join(one.cmdline())), None
        )
    assert worker is not None
    time.sleep(3)
    worker.send_signal(signal.SIGKILL)
    _, err = run.communicate(timeout=500)
    assert run.returncode == 0, err
    assert gradatim(tmp_path, "sql", STORED, "--json").value == alone[1]
