"""Every handed attack fails, leaves nothing, and does not hurt the next honest program; on every backend and user."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from synth.sandbox import BACKENDS, SandboxUnavailable
from synth.sandbox.backends import choose

from . import attacks

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
MOVED = """
import os, sys
from synth.sandbox.inside.libc import mount, unshare
uid, home, target, *command = int(sys.argv[1]), *sys.argv[2:]
unshare(0x20000)
mount(None, "/", None, 16384 | (1 << 18))
mount(home, target, None, 4096 | 16384)
if uid:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
python = os.path.join(target, "bin", "python%d.%d" % sys.version_info[:2])
environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.defpath}
os.chdir("/")
os.execve(python, [python, *command], environment)
"""
only_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")


@contextlib.contextmanager
def readable_by_all(cases: Path) -> Iterator[Path]:
    """A folder that any user can read, with an empty folder `python` and a copy of the cases."""
    folder = Path(tempfile.mkdtemp(prefix="another-user-"))
    try:
        folder.chmod(0o755)
        (folder / "python").mkdir()
        shutil.copytree(cases, folder / "cases")
        for path in folder.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        yield folder
    finally:
        shutil.rmtree(folder)


NAMES = [backend.name for backend in BACKENDS]


def works_here(backend: str) -> bool:
    with contextlib.suppress(SandboxUnavailable):
        return choose(backend) is not None
    return False


@pytest.mark.parametrize("backend", NAMES)
def test_no_attack_passes_or_leaves_anything(cases: Path, backend: str) -> None:
    try:
        choose(backend)
    except SandboxUnavailable as reason:
        pytest.skip(str(reason))
    faults = {o.name: o.fault for o in attacks.run_all(cases, backend) if o.fault}
    assert faults == {}


def elsewhere(folder: Path, uid: int, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs Python with `command` as `uid`, from a place where every user can read the interpreter."""
    arguments = [str(uid), sys.base_prefix, str(folder / "python"), *command]
    return subprocess.run(
        [sys.executable, "-c", MOVED, *arguments], capture_output=True, text=True, timeout=900, cwd=ROOT
    )


@only_root
@pytest.mark.parametrize("uid", [61234, 0], ids=["ordinary user", "root"])
def test_attacks_fail_where_every_user_can_read_the_interpreter(cases: Path, uid: int) -> None:
    """An ordinary user, and root with the Landlock backend, need an interpreter outside a private home.

    The backends that work for root in this process are attacked in it.
    """
    asked = [name for name in NAMES if uid or not works_here(name)]
    if not asked:
        pytest.skip("every backend works here")
    with readable_by_all(cases) as folder:
        done = elsewhere(folder, uid, str(HERE / "attacks.py"), str(folder / "cases"), *asked)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["uid"] == uid
    works = {name: found for name, found in said["backends"].items() if isinstance(found, dict)}
    print({name: found if isinstance(found, str) else "works" for name, found in said["backends"].items()})
    assert works
    for name, found in works.items():
        assert {attack: fault for attack, fault in found.items() if fault} == {}, name


@only_root
@pytest.mark.slow
@pytest.mark.parametrize("uid", [61234, 0], ids=["ordinary user", "root"])
def test_all_cases_and_honest_programs_hold_for_every_user(cases: Path, uid: int) -> None:
    files = [str(HERE / name) for name in ("test_cases.py", "test_honest.py", "test_pool.py")]
    options = ["-q", "-p", "no:cacheprovider", "-k", "not reference and not model_written and not busy"]
    with readable_by_all(cases) as folder:
        done = elsewhere(folder, uid, "-m", "pytest", *options, *files)
    assert done.returncode == 0, done.stdout[-3000:]
