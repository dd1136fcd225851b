"""The board's warehouse, filled once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import transformers.trainer  # noqa: F401 - before marimo, in whose presence transformers asks for IPython at its import

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "report"), str(HERE.parents[1] / "warehouse")]


@pytest.fixture(scope="session")
def board_home(tmp_path_factory):
    """The home of a filled warehouse that nothing changes."""
    from board_rows import fill

    home = tmp_path_factory.mktemp("board") / "home"
    fill(home)
    return home
