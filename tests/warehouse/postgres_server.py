"""A PostgreSQL of the tests' own on loopback, for as long as it is needed."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def binaries() -> Path | None:
    """The folder of initdb and pg_ctl, or none."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((f for f in folders if (f / "pg_ctl").exists() and (f / "initdb").exists()), None)


@contextmanager
def server(bin_: Path) -> Iterator[str]:
    """The URL of a running server without a database name; stopped and deleted at the end."""
    folder = Path(tempfile.mkdtemp(prefix="gradatim-pg-"))
    as_user: list[str] = []
    if os.geteuid() == 0:
        account = pwd.getpwnam("postgres")
        os.chown(folder, account.pw_uid, account.pw_gid)
        as_user = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def call(*command: str) -> None:
        subprocess.run([*as_user, *command], check=True, capture_output=True, timeout=120, cwd=folder)

    data = str(folder / "data")
    call(str(bin_ / "initdb"), "-D", data, "-U", "gradatim", "-A", "trust", "--no-sync")
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    call(str(bin_ / "pg_ctl"), "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start")
    try:
        yield f"postgres://gradatim@127.0.0.1:{port}"
    finally:
        call(str(bin_ / "pg_ctl"), "-D", data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder, ignore_errors=True)
