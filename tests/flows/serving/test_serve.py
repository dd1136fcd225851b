"""`gradatim serve` for real: schedules, an overlap, an event, refusals, an end without a trace."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter

import httpx
import psutil
import pytest

pytestmark = pytest.mark.slow

FLOWS = """
import time
from pathlib import Path
from prefect import flow, task

@flow
def quick(policy: str = "none"):
    return policy

@flow
def slow(seconds: float = 60.0):
    time.sleep(seconds)

@task(tags=["gpu"])
def hold(said: str):
    for word in ("in", "out"):
        with Path(said).open("a") as file:
            file.write(word + " ")
        time.sleep(2)

@flow
def sharing(said: str = ""):
    for one in [hold.submit(said) for _ in range(3)]:
        one.result()
"""

FILE = """
deployments:
  - name: often
    entrypoint: served_flows.quick
    schedules: [{interval: 12, timezone: UTC}]
    concurrency_limit: {limit: 1, collision_strategy: CANCEL_NEW}
    work_pool: {name: gradatim}
  - name: overlapping
    entrypoint: served_flows.slow
    schedules: [{interval: 12, timezone: UTC}]
    concurrency_limit: {limit: 1, collision_strategy: CANCEL_NEW}
    work_pool: {name: gradatim}
  - name: limited
    entrypoint: served_flows.sharing
    work_pool: {name: gradatim}
  - name: on-event
    entrypoint: served_flows.quick
    work_pool: {name: gradatim}
    triggers:
      - type: event
        enabled: true
        match: {prefect.resource.id: "gradatim.policy.*"}
        expect: [gradatim.checkpoint.made]
        posture: Reactive
        parameters: {policy: "{{ event.resource['gradatim.policy'] }}"}
"""


class Served:
    """A running `gradatim serve` and its API."""

    def __init__(self, process, url):
        self.process, self.url = process, url

    def runs(self, deployment: str) -> list[dict]:
        asked = {"deployments": {"name": {"any_": [deployment]}}}
        found = httpx.post(f"{self.url}/flow_runs/filter", json=asked, timeout=30).json()
        return [run for run in found if run["state_type"] != "SCHEDULED"]

    def wait(self, deployment: str, reached, limit_s: float = 180.0) -> list[dict]:
        until = time.monotonic() + limit_s
        while time.monotonic() < until:
            runs = self.runs(deployment)
            if reached(runs):
                return runs
            time.sleep(1)
        raise AssertionError([(run["name"], run["state"]) for run in self.runs(deployment)])


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    (folder / "served_flows.py").write_text(FLOWS)
    (folder / "prefect.yaml").write_text(FILE)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {
        "PYTHONPATH": str(folder),
        "PREFECT_WORKER_QUERY_SECONDS": "1",
        "PREFECT_SERVER_SERVICES_SCHEDULER_LOOP_SECONDS": "2",
        "PREFECT_SERVER_SERVICES_LATE_RUNS_LOOP_SECONDS": "2",
    }
    environment.pop("PREFECT_API_URL", None)
    command = [sys.executable, "-c", "from flows.cli import main; main()", "--home", str(folder / "home"), "serve"]
    process = subprocess.Popen(
        [*command, "--port", str(port), "--file", str(folder / "prefect.yaml"), "--limit", "4", "--json"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    said = process.stdout.readline()
    assert said, process.communicate()[1]
    below = psutil.Process(process.pid)
    yield Served(process, json.loads(said)["api"])
    children = below.children(recursive=True)
    assert any("server" in child.cmdline() for child in children)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=90)
    assert process.returncode == 0, err
    assert "nothing is left running" in err
    assert "Traceback" not in err
    assert not [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]


def test_a_schedule_fires_twice(served):
    runs = served.wait("often", lambda runs: sum(run["state_type"] == "COMPLETED" for run in runs) >= 2)
    assert Counter(run["state_type"] for run in runs)["FAILED"] == 0


def test_an_overlapping_run_is_cancelled_and_says_why(served):
    runs = served.wait("overlapping", lambda runs: any(run["state_type"] == "CANCELLED" for run in runs))
    assert sum(run["state_type"] == "RUNNING" for run in runs) <= 1
    cancelled = next(run for run in runs if run["state_type"] == "CANCELLED")
    assert "concurrency limit reached" in cancelled["state"]["message"]


def test_an_event_starts_its_deployment_with_the_policy(served):
    event = {
        "occurred": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "event": "gradatim.checkpoint.made",
        "resource": {"prefect.resource.id": "gradatim.policy.abc", "gradatim.policy": "abc"},
        "id": "00000000-0000-4000-8000-000000000001",
    }
    httpx.post(f"{served.url}/events", json=[event], timeout=30).raise_for_status()
    runs = served.wait("on-event", lambda runs: any(run["state_type"] == "COMPLETED" for run in runs))
    assert runs[0]["parameters"] == {"policy": "abc"}


def test_a_run_with_a_parameter_of_the_wrong_type_is_refused(served):
    found = httpx.get(f"{served.url}/deployments/name/slow/overlapping", timeout=30).json()
    asked = {"parameters": {"seconds": "soon"}, "state": {"type": "SCHEDULED"}}
    refused = httpx.post(f"{served.url}/deployments/{found['id']}/create_flow_run", json=asked, timeout=30)
    assert refused.status_code == 409
    assert "seconds" in refused.text


def test_tasks_that_share_the_gpu_run_one_at_a_time(served, tmp_path):
    for tag in ("gpu", "warehouse-upkeep"):
        assert httpx.get(f"{served.url}/v2/concurrency_limits/tag:{tag}", timeout=30).json()["limit"] == 1
    found = httpx.get(f"{served.url}/deployments/name/sharing/limited", timeout=30).json()
    asked = {"parameters": {"said": str(tmp_path / "said")}, "state": {"type": "SCHEDULED"}}
    httpx.post(f"{served.url}/deployments/{found['id']}/create_flow_run", json=asked, timeout=30).raise_for_status()
    served.wait("limited", lambda runs: any(run["state_type"] == "COMPLETED" for run in runs))
    assert (tmp_path / "said").read_text().split() == ["in", "out"] * 3


def test_a_cancelled_run_leaves_no_process(served):
    run = served.wait("overlapping", lambda runs: any(run["state_type"] == "RUNNING" for run in runs))
    running = next(one for one in run if one["state_type"] == "RUNNING")
    engines = _engines(served)
    assert engines
    state = {"state": {"type": "CANCELLING"}}
    httpx.post(f"{served.url}/flow_runs/{running['id']}/set_state", json=state, timeout=30).raise_for_status()
    found = served.wait(
        "overlapping", lambda runs: any(one["id"] == running["id"] and one["state_type"] == "CANCELLED" for one in runs)
    )
    assert found
    _, alive = psutil.wait_procs([one for one in engines if _ran(one, running["id"])], timeout=30)
    assert not alive


def _engines(served) -> list[psutil.Process]:
    return [one for one in psutil.Process(served.process.pid).children(recursive=True) if _is_engine(one)]


def _is_engine(process: psutil.Process) -> bool:
    try:
        return any(word.startswith("prefect.") and "engine" in word for word in process.cmdline())
    except psutil.Error:
        return False


def _ran(process: psutil.Process, run: str) -> bool:
    try:
        return run in json.dumps(dict(process.environ()))
    except psutil.Error:
        return False
