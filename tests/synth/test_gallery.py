"""The gallery page shows the families that there are."""

from __future__ import annotations

from pathlib import Path

from synth.gallery import gallery

PAGE = Path(__file__).resolve().parents[2] / "docs" / "gallery.md"


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == gallery(), "run: python -m synth.gallery > docs/gallery.md"
