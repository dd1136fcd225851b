"""What all tests share: where real corpora lie."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder with real corpora: $GRADATIM_CORPORA, or shared/data beside the checkout."""
    folder = Path(os.environ.get("GRADATIM_CORPORA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no corpora at {folder}: set GRADATIM_CORPORA to a folder with gsm8k_train.jsonl and the others")
    return folder


@pytest.fixture(scope="session")
def cases(corpora: Path) -> Path:
    """The folder with small inputs that broke other systems, beside the corpora."""
    folder = corpora.parent / "cases"
    if not folder.is_dir():
        pytest.skip(f"no handed cases at {folder}")
    return folder
