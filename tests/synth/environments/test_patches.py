"""Patches: written and applied back, and every bad one refused with a reason."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shop import FILES, FIXED

from synth.environments import ToolError
from synth.environments.repository import PatchError, applied, difference

texts = st.text(alphabet="ab\n\r-+ @\\", max_size=40)
trees = st.dictionaries(st.sampled_from(["a.py", "b/c.py", "b/d e.py", "x"]), texts, max_size=4)
PATCH = difference(FILES, FIXED)


@settings(max_examples=300, deadline=None)
@given(trees, trees)
def test_a_difference_applied_gives_the_other_side(before: dict[str, str], after: dict[str, str]):
    patch = difference(before, after)
    assert applied(before, patch) == after
    assert (patch == "") == (before == after)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab\n-+ @\\/,123dev", max_size=120), st.integers(0, len(PATCH)))
def test_no_patch_does_more_than_be_refused(noise: str, cut: int):
    for patch in (noise, PATCH[:cut] + noise, "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n" + noise):
        try:
            applied(FILES, patch)
        except ToolError as error:
            said = str(error)
            assert len(said) < 500


@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch command")
@pytest.mark.parametrize("changed", [FIXED, {**FILES, "shop/new.py": "x = 1"}, {"README.md": "# shop"}])
def test_patches_are_what_other_programs_read(tmp_path: Path, changed: dict[str, str]):
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    patch = difference(FILES, changed)
    subprocess.run(["patch", "-p1", "-E"], input=patch, text=True, cwd=tmp_path, check=True, capture_output=True)
    found = {str(p.relative_to(tmp_path)): p.read_text() for p in tmp_path.rglob("*") if p.is_file()}
    assert found == changed


def test_line_ends_of_another_system_are_read_as_the_files_own():
    assert applied(FILES, PATCH.replace("\n", "\r\n")) == FIXED
    windows = {path: text.replace("\n", "\r\n") for path, text in FILES.items()}
    changed = {path: text.replace("\n", "\r\n") for path, text in FIXED.items()}
    assert applied(windows, difference(windows, changed)) == changed


def test_a_hunk_that_moved_is_found_where_it_fits_once():
    moved = {**FILES, "shop/prices.py": "import os\n\n" + FILES["shop/prices.py"]}
    assert applied(moved, PATCH)["shop/prices.py"].endswith("gross - share(gross, percent)\n")


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ("x" * 10_000_000, "at most 262144"),
        ("--- a/x\0\n", "binary"),
        ("diff --git a/x b/x\nGIT binary patch\nliteral 3\n", "binary"),
        ("Binary files a/x and b/x differ\n", "binary"),
        ("rename from a.py\nrename to b.py\n", "rename"),
        ("copy from a.py\ncopy to b.py\n", "copy"),
        ("new file mode 120000\n--- /dev/null\n+++ b/shop/link\n@@ -0,0 +1 @@\n+/etc\n", "links or modes"),
        ("new file mode 100755\n", "links or modes"),
        ("please make it right", "no change in the patch"),
        ("@@ -1 +1 @@\n-a\n+b\n", "without '--- a/PATH'"),
        ("--- /dev/null\n+++ /dev/null\n", "names no file"),
        ("--- a/README.md\n+++ b/other.md\n@@ -1 +1 @@\n-# shop\n+# s\n", "moves README.md"),
        ("--- a/nothing.py\n+++ b/nothing.py\n@@ -1 +1 @@\n-a\n+b\n", "no file nothing.py"),
        ("--- /dev/null\n+++ b/README.md\n@@ -0,0 +1 @@\n+b\n", "there already"),
        ("--- a/README.md\n+++ /dev/null\n", "1 of its lines are not in the patch"),
        ("--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# ship\n+b\n", "the patch expects '# ship'"),
        ("--- a/README.md\n+++ b/README.md\n@@ -1,2 +1,2 @@\n-# shop\n+b\n", "ends early"),
        ("--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n# shop\n", "begins with '#'"),
        ("--- a/README.md\n+++ b/README.md\n@@ -1,1 +1,9 @@\n-# shop\n+b\n", "ends early"),
        (PATCH[: len(PATCH) // 2], "ends early"),
        (difference({}, {"big.py": "x" * 200_000}) * 2, "characters"),
    ],
)  # fmt: skip
def test_what_cannot_be_applied_is_said(patch: str, said: str):
    with pytest.raises(PatchError) as found:
        applied(FILES, patch)
    assert said in str(found.value), str(found.value)


@pytest.mark.parametrize(
    "path", ["../x.py", "/etc/passwd", "a/../../x", "a\\b", "", ".", "a//b", "~/x", "a/", "x\n", "C:/x", "é.py"]
)
def test_paths_stay_within_the_repository(path: str):
    with pytest.raises(ToolError):
        applied(FILES, f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n")


def test_a_repository_stays_small():
    many = {f"f{k}.py": "" for k in range(201)}
    with pytest.raises(PatchError, match="200 files"):
        applied({}, difference({}, many))
