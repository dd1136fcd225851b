"""Warehouses for tests: an empty one and one that holds a small campaign."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from warehouse_rows import campaign

from warehouse.store import Store


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A created, empty home, copied by tests: creating one takes most of a second."""
    home = tmp_path_factory.mktemp("blank") / "home"
    Store.open(home).close()
    return home


@pytest.fixture
def store(blank: Path, tmp_path: Path) -> Iterator[Store]:
    shutil.copytree(blank, tmp_path / "home")
    with Store.open(tmp_path / "home") as opened:
        yield opened


@pytest.fixture(scope="session")
def empty(blank: Path) -> Iterator[Store]:
    """An empty warehouse that nothing writes to."""
    with Store.open(blank, read_only=True) as opened:
        yield opened


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(tmp_path_factory.mktemp("filled") / "home") as opened:
        opened.commit(campaign(), batch="campaign", purpose="a small campaign", run="run1")
        yield opened
