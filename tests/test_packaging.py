"""What is installed: no CUDA under a CPU build, no package of ours at the top level but the five."""

from __future__ import annotations

import importlib.metadata
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def test_a_cpu_build_brings_no_nvidia_package():
    import torch

    if torch.version.cuda is not None:
        pytest.skip(f"torch {torch.__version__} is a CUDA build")
    names = [found.metadata["Name"].lower() for found in importlib.metadata.distributions()]
    assert [name for name in names if name.startswith("nvidia-") or name == "triton"] == []


def test_the_five_folders_are_the_import_packages():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [
        "flows",
        "synth",
        "curriculum",
        "trainer",
        "warehouse",
    ]


def test_constraints_pin_every_direct_dependency():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pinned = {
        line.split("==")[0].lower() for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line
    }
    needed = {
        requirement.split("[")[0].split("=")[0].split(">")[0].split("<")[0].strip().lower()
        for requirement in project["dependencies"] + project["optional-dependencies"]["dev"]
    }
    assert needed - pinned - {"torch"} == set()
