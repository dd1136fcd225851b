"""One folder that holds everything a warehouse and its campaigns keep."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from filelock import FileLock, Timeout

from warehouse.errors import UserError

LOCK_TIMEOUT_S = 600.0
"""How long a process waits for another's transaction before it gives up."""

SCHEMES = ("postgres", "postgresql")
PASSWORDS = ("password", "sslpassword")
"""Parts of a PostgreSQL URL's query that nothing may repeat."""


@dataclass(frozen=True)
class Home:
    """The paths below one folder, and where the catalog and the Parquet files lie.

    The catalog is SQLite in the folder unless `catalog_url` names a PostgreSQL database
    (`postgres://user@host:port/database`); the data lies in `data/` unless `data_url` names another
    folder or an object store (`s3://bucket/prefix`). Passwords come from the environment
    (`PGPASSWORD`, `AWS_*`), never from a file of the home.
    """

    root: Path
    catalog_url: str | None = None
    data_url: str | None = None
    lock_timeout_s: float = field(default=LOCK_TIMEOUT_S, compare=False)

    @classmethod
    def at(cls, root: Path | str, *, catalog_url: str | None = None, data_url: str | None = None) -> Home:
        """The home in `root`; locations not given are read from its `home.json`.

        Raises `UserError` for a URL or a `home.json` that says nothing, and when the home already keeps its files
        elsewhere than in `data_url`.
        """
        folder = Path(root).expanduser().absolute()
        settings = folder / "home.json"
        kept = _kept(settings) if settings.is_file() else {}
        if url := catalog_url or kept.get("catalog_url"):
            catalog_parts(url)
        home = cls(folder, catalog_url or kept.get("catalog_url"), data_url or kept.get("data_url"))
        stands = settings.is_file() or home.catalog.is_file()
        if data_url is not None and stands and home.data_path != cls(folder, None, kept.get("data_url")).data_path:
            raise UserError(
                f"the files of {folder} lie in {kept.get('data_url') or home.data}, not in {data_url}; "
                "unset GRADATIM_DATA_URL, or see: gradatim warehouse move --help"
            )
        return home

    def create(self) -> None:
        """Make the folders that are missing."""
        for folder in (self.root, self.data, self.blobs, self.spool, self.checkpoints, self.reports, self.exports):
            folder.mkdir(parents=True, exist_ok=True)

    def remember(self) -> None:
        """Write the locations, without passwords, where the next `Home.at` finds them."""
        kept = {"catalog_url": without_password(self.catalog_url), "data_url": self.data_url}
        self.root.mkdir(parents=True, exist_ok=True)
        (self.root / "home.json").write_text(json.dumps(kept, indent=2) + "\n", "utf-8")

    def remember_once(self) -> None:
        """The same for a home that was made elsewhere than in its folder and has not said so yet."""
        if (self.catalog_url or self.data_url) and not (self.root / "home.json").is_file():
            self.remember()

    @property
    def catalog(self) -> Path:
        """The SQLite catalog, used when no `catalog_url` is set."""
        return self.root / "catalog.sqlite"

    @property
    def data(self) -> Path:
        """The folder of Parquet files, used when no `data_url` is set."""
        return self.root / "data"

    @property
    def data_path(self) -> str:
        """Where DuckLake writes Parquet, with a slash at the end."""
        return (self.data_url or str(self.data)).rstrip("/") + "/"

    @property
    def local_data(self) -> Path | None:
        """The data folder when it is on this machine, else none."""
        return None if "://" in self.data_path else Path(self.data_path)

    @property
    def blobs(self) -> Path:
        """Long texts and cached responses."""
        return self.root / "blobs"

    @property
    def spool(self) -> Path:
        """Rows on their way from a stage's process to the store, and spilled query state."""
        return self.root / "spool"

    @property
    def checkpoints(self) -> Path:
        """Weights."""
        return self.root / "checkpoints"

    @property
    def reports(self) -> Path:
        """Reports of finished campaigns."""
        return self.root / "reports"

    @property
    def exports(self) -> Path:
        """Exported datasets."""
        return self.root / "exports"

    @property
    def feeds(self) -> Path:
        """How far each reader of the change feed has come."""
        return self.root / "feeds.json"

    @property
    def prefect(self) -> Path:
        """The orchestrator's own state."""
        return self.root / "prefect"

    @property
    def exists(self) -> bool:
        """Whether a warehouse was created here or elsewhere on behalf of this home."""
        return self.catalog_url is not None or self.catalog.is_file()

    @property
    def lost_catalog(self) -> str | None:
        """How a catalog is gone whose rows still lie there: missing, empty, or none when it is not."""
        is_there = self.catalog.is_file()
        if self.catalog_url or not self.local_data or (is_there and not _is_hollow(self.catalog)):
            return None
        lost = next(self.local_data.rglob("*.parquet"), None) is not None
        return ("empty" if is_there else "missing") if lost else None

    def lock(self) -> FileLock:
        """The lock around attach, creation, migration and every whole transaction; the same thread may nest it."""
        self.root.mkdir(parents=True, exist_ok=True)
        return FileLock(self.root / "lock", timeout=self.lock_timeout_s, is_singleton=True, poll_interval=0.005)


def _is_hollow(catalog: Path) -> bool:
    """Whether a catalog holds nothing at all; one that cannot be read is not hollow but broken."""
    if not catalog.stat().st_size:
        return True
    try:
        with closing(sqlite3.connect(f"{catalog.absolute().as_uri()}?mode=ro", uri=True)) as tables:
            return tables.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None
    except sqlite3.Error:
        return False


def locked_out(home: Home, error: Timeout) -> UserError:
    """The error for a lock that another process did not give back in time."""
    return UserError(
        f"another process has held {error.lock_file} for {home.lock_timeout_s:g} s; "
        "wait for it to finish, or end it, then run the command again"
    )


def without_password(url: str | None) -> str | None:
    """`url` with its password left out.

    >>> without_password("postgres://me:secret@db:5432/lake")
    'postgres://me@db:5432/lake'
    """
    if url is None:
        return None
    parts = catalog_parts(url)
    told = parse_qsl(parts.query)
    query = urlencode([(key, value) for key, value in told if key.lower() not in PASSWORDS])
    user = f"{parts.username}@" if parts.username else ""
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit((parts.scheme, f"{user}{parts.hostname or ''}{port}", parts.path, query, ""))


def catalog_parts(url: str) -> SplitResult:
    """The parts of a PostgreSQL URL; raises a `UserError` that repeats nothing of what may hold a password."""
    try:
        parts = urlsplit(url)
        known, _ = parts.scheme in SCHEMES, parts.port
    except ValueError:
        known = False
    if not known:
        raise UserError("the catalog URL cannot be read; allowed: postgres://user@host:port/database with port 1-65535")
    return parts


def _kept(settings: Path) -> Mapping[str, str | None]:
    """What `home.json` says."""
    try:
        told = json.loads(settings.read_text("utf-8"))
        known = isinstance(told, dict) and all(isinstance(v, str | None) for v in told.values())
    except (ValueError, RecursionError):
        known = False
    if not known:
        raise UserError(
            f"{settings} cannot be read; allowed: a JSON object with catalog_url and data_url; "
            "mend it, or take it from a backup; see: gradatim warehouse restore --help"
        )
    return dict(told)
