"""The deployments of `prefect.yaml`: where the file lies, what it says, and registering it with a server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import yaml

import flows
from warehouse.errors import GradatimError, UserError
from warehouse.records import JsonValue

FILE = "prefect.yaml"
POOL = "gradatim"
"""The process work pool that the deployments run in."""


class NotDeployed(GradatimError):
    """The server did not take the deployments."""


def deployments_file(given: Path | None = None) -> Path:
    """The file named, else gradatim's own. Raises `UserError` when it is not there."""
    place = given or Path(flows.__file__).parent / FILE
    if not place.is_file():
        raise UserError(f"there is no deployments file '{place}'; see: gradatim serve --help")
    return place


def read_deployments(file: Path) -> list[Mapping[str, JsonValue]]:
    """Each deployment of the file: {"deployment", "flow", "schedule", "on"}, all as its YAML says.

    Raises `UserError` for a file that is no YAML or holds no deployment.
    """
    try:
        found = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{file} is not YAML: {error}; see: prefect.yaml for an example") from error
    listed = found.get("deployments") if isinstance(found, dict) else None
    if not isinstance(listed, list) or not all(isinstance(one, dict) and "entrypoint" in one for one in listed):
        raise UserError(f"{file} must hold a list 'deployments', each with an entrypoint; see: prefect.yaml")
    return [
        {
            "deployment": f"{one['entrypoint'].rsplit('.', 1)[-1]}/{one.get('name')}",
            "schedule": ", ".join(_spoken(each) for each in one.get("schedules", [])) or "on demand",
            "on": ", ".join(event for each in one.get("triggers", []) for event in each.get("expect", [])),
        }
        for one in listed
    ]


def register(file: Path) -> None:
    """Register every deployment of the file with the server that `PREFECT_API_URL` names; again changes nothing.

    Raises `NotDeployed` with the last line of what the server or a flow said.
    """
    command = [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--all", "--prefect-file", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        said = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise NotDeployed(
            f"{file} was not deployed: {said[-1] if said else done.returncode}; see: prefect deploy --all"
        )


def _spoken(schedule: Mapping[str, object]) -> str:
    kind = next((name for name in ("cron", "interval", "rrule") if name in schedule), "schedule")
    return f"{kind} {schedule.get(kind)} {schedule.get('timezone', 'UTC')}"
