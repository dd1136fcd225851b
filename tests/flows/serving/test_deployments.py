"""The deployments that gradatim ships, and what `gradatim serve` refuses before it starts anything."""

from __future__ import annotations

import importlib
import socket
import sys
from pathlib import Path

import pytest
import yaml

from flows.serving import deployments_file, read_deployments, server_at
from flows.serving.server import ServerFailed
from warehouse.errors import UserError

LISTED = yaml.safe_load(deployments_file().read_text())["deployments"]


@pytest.mark.parametrize("one", LISTED, ids=lambda one: one["name"])
def test_every_deployment_names_a_flow_and_never_overlaps_itself(one):
    module, name = one["entrypoint"].rsplit(".", 1)
    flow = getattr(importlib.import_module(module), name)
    assert one["concurrency_limit"] == {"limit": 1, "collision_strategy": "CANCEL_NEW"}
    assert one["work_pool"] == {"name": "gradatim"}
    for schedule in one.get("schedules", []):
        assert schedule["timezone"] == "UTC"
    given = set(one.get("parameters", {})) | {p for each in one.get("triggers", []) for p in each.get("parameters", {})}
    assert given <= set(flow.parameters.properties), "every parameter given is one of the flow's"
    assert not set(flow.parameters.required or []) - given, "and none is missing"


def test_the_triggers_wait_for_events_that_flows_emit():
    from flows import events

    expected = {name for one in LISTED for each in one.get("triggers", []) for name in each["expect"]}
    assert expected == {events.CHECKPOINT, events.THIN}


def test_the_list_says_what_runs_when():
    listed = {one["deployment"]: one for one in read_deployments(deployments_file())}
    assert listed["synthesize_weakest/synthesis"]["schedule"] == "cron 0 * * * * UTC"
    assert listed["calibrate_difficulty/calibration"]["on"] == "gradatim.checkpoint.made"


@pytest.mark.parametrize("text", ["deployments: [", "- a list", "deployments: [{name: no-entrypoint}]", "{}"])
def test_a_file_that_holds_no_deployments_is_refused(tmp_path, text):
    file = tmp_path / "other.yaml"
    file.write_text(text)
    with pytest.raises(UserError, match=r"other\.yaml"):
        read_deployments(file)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UserError, match="there is no deployments file"):
        deployments_file(tmp_path / "none.yaml")


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path, monkeypatch):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with (
            pytest.raises(UserError, match=f"port {port} cannot be used.*--port {port + 1}"),
            server_at(tmp_path, port),
        ):
            pass


def test_events_are_told_to_a_real_server_only(monkeypatch):
    from flows import events

    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    assert events.tell(events.THIN, "policy", {}) is None


def test_a_deployed_run_without_a_home_says_what_to_set(monkeypatch):
    from flows.settings import at_home

    monkeypatch.delenv("GRADATIM_HOME", raising=False)
    with pytest.raises(UserError, match="set GRADATIM_HOME"):
        at_home(None)
    monkeypatch.setenv("GRADATIM_HOME", "there")
    assert at_home(None).home == Path("there")
    assert at_home(Path("here")).home == Path("here")


def test_a_home_that_is_not_there_yet_is_served_from(tmp_path, monkeypatch):
    """The server itself is a program that ends at once; it is told where its log lies, in a folder made for it."""
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho 'no server here' >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ServerFailed, match="no server here"), server_at(tmp_path / "new" / "home", port):
        pass
    assert (tmp_path / "new" / "home" / "prefect" / "server.log").is_file()
