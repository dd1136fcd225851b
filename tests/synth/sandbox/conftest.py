"""Pools that the sandbox's tests share, one for each backend that works here."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from synth.sandbox import BACKENDS, Limits, Pool, SandboxUnavailable

TIGHT = Limits(cpu_s=1.5, wall_s=4.0)


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    """One worker of the strongest backend."""
    with Pool(workers=1, limits=TIGHT) as pool:
        yield pool


@pytest.fixture(scope="session", params=[backend.name for backend in BACKENDS])
def each_pool(request: pytest.FixtureRequest) -> Iterator[Pool]:
    """One worker of each backend that works here."""
    try:
        pool = Pool(workers=1, limits=TIGHT, backend=request.param)
    except SandboxUnavailable as reason:
        pytest.skip(str(reason))
    with pool:
        yield pool


def read_gzip(path: Path) -> list[Any]:
    """The rows of a compressed file of JSON lines."""
    with gzip.open(path) as file:
        return [json.loads(line) for line in file]
