from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from warehouse_rows import status, task

from warehouse.errors import UserError
from warehouse.exports import export
from warehouse.store import Store
from warehouse.upkeep import backup, check, restore


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 24 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root may mount a small file system")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", folder], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_refuses_the_commit_whole_and_a_smaller_one_works_later(blank: Path, small_disk: Path) -> None:
    shutil.copytree(blank, small_disk / "home")
    with Store.open(small_disk / "home") as store:
        store.commit([task(1), status(1)], batch="first", purpose="x", run="r")
        filler = small_disk / "filler"
        filler.write_bytes(os.urandom(shutil.disk_usage(small_disk).free - 200_000))
        texts = [os.urandom(2000).hex() for _ in range(500)]
        with pytest.raises(UserError, match=r"disk under .* is full"):
            store.commit([task(i, prompt=text) for i, text in enumerate(texts)], batch="big", purpose="x", run="r")
        assert [t.task_id for t in store.tasks()] == ["t1"]
        filler.unlink()
    with Store.open(small_disk / "home") as store:
        assert [t.task_id for t in store.tasks()] == ["t1"]
        assert store.rows("SELECT batch FROM batches") == [{"batch": "first"}]
        assert store.commit([task(i) for i in range(2, 9)], batch="big", purpose="x", run="r").new
        assert check(store) == []


def test_a_copy_onto_a_full_disk_says_what_to_do_and_goes_on_later(filled: Store, small_disk: Path) -> None:
    filler = small_disk / "filler"
    filler.write_bytes(os.urandom(shutil.disk_usage(small_disk).free - 20_000))
    for copy in (lambda: backup(filled, small_disk / "copy"), lambda: export(filled, small_disk / "tasks")):
        with pytest.raises(UserError, match=r"No space left on device; .* run the same command again"):
            copy()
    filler.unlink()
    backup(filled, small_disk / "copy")
    assert restore(small_disk / "copy", small_disk / "restored") == []
    assert export(filled, small_disk / "tasks").n_tasks


def test_two_campaigns_share_one_home(store: Store) -> None:
    for campaign in ("one", "two"):
        shared = [task(1), status(1)]
        own = task(2 if campaign == "one" else 3)
        store.commit([*shared, own], batch=f"{campaign}-synthesis", purpose=campaign, run=campaign)
    assert [t.task_id for t in store.tasks(status=None)] == ["t1", "t2", "t3"]
    assert {r["run_id"] for r in store.rows("SELECT run_id FROM tasks WHERE task_id = 't1'")} == {"one", "two"}


def test_nothing_is_fetched_at_run_time(tmp_path: Path) -> None:
    """The store opens in a process whose every socket fails."""
    code = (
        "import socket\n"
        "def no(*a, **k): raise OSError('no network')\n"
        "socket.socket.connect = no; socket.create_connection = no; socket.getaddrinfo = no\n"
        "from warehouse.store import Store\n"
        f"Store.open({str(tmp_path / 'home')!r}).close()\n"
    )
    env = {**os.environ, "HOME": str(tmp_path / "nobody"), "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "nobody").exists()
