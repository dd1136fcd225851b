"""Content-addressed texts in one SQLite file: what was paid for once is kept, whatever kills the process."""

from __future__ import annotations

import sqlite3
import threading
import zlib
from pathlib import Path
from types import TracebackType

from blake3 import blake3

from warehouse.errors import GradatimError

BUSY_S = 60.0
"""How long a write waits for another process's."""
_TABLE = "CREATE TABLE IF NOT EXISTS blobs (key TEXT PRIMARY KEY, hash TEXT, body BLOB) WITHOUT ROWID"


class BlobsUnreadable(GradatimError):
    """The file is there and is no database; moving it away starts an empty one."""


class Blobs:
    """Texts by key in the SQLite file `path`; safe from threads and processes, each `put` durable when it returns.

    A text whose bytes changed on disk counts as not there. Raises `BlobsUnreadable` when the file is no database.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        try:
            self._open = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
            self._open.execute("PRAGMA journal_mode = WAL")
            self._open.execute(_TABLE)
        except sqlite3.DatabaseError as error:
            raise BlobsUnreadable(f"'{path}' cannot be opened: {error}; move it away to start an empty one") from error

    def __enter__(self) -> Blobs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        with self._lock:
            return int(self._open.execute("SELECT count(*) FROM blobs").fetchone()[0])

    def get(self, key: str) -> str | None:
        """The text under `key`; none when there is none, or when it is damaged."""
        with self._lock:
            row = self._open.execute("SELECT hash, body FROM blobs WHERE key = ?", (key,)).fetchone()
        if row is None or blake3(row[1]).hexdigest() != row[0]:
            return None
        return zlib.decompress(row[1]).decode("utf-8")

    def put(self, key: str, text: str) -> None:
        """Keep `text` under `key`; the newest text wins."""
        body = zlib.compress(text.encode("utf-8", "replace"), 6)
        with self._lock:
            row = (key, blake3(body).hexdigest(), body)
            self._open.execute("INSERT OR REPLACE INTO blobs VALUES (?, ?, ?)", row)

    def close(self) -> None:
        """Ends the connection."""
        with self._lock:
            self._open.close()
