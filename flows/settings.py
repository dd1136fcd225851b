"""How this machine runs gradatim: settings that never enter a hash. Defaults < environment < command line."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from flows.orphans import mark_children
from warehouse.errors import UserError
from warehouse.home import Home

SECRET = ("catalog_url", "webhook")
"""Settings whose value no message repeats."""


class Settings(BaseSettings):
    """Machine settings, read from `GRADATIM_*` variables; secrets stay `SecretStr` and are never stored."""

    model_config = SettingsConfigDict(env_prefix="GRADATIM_", frozen=True, extra="ignore")

    home: Path = Path(".gradatim")
    """Folder of the warehouse and all that runs write."""
    catalog_url: SecretStr | None = None
    """PostgreSQL URL of the DuckLake catalog; none means SQLite inside the home."""
    data_url: str | None = None
    """Folder or `s3://bucket/prefix` of a new home's Parquet files, with `AWS_*` credentials; none means the home."""
    memory_limit: str = Field(default="1GB", pattern=r"^\s*[0-9]+(\.[0-9]+)?\s*[KMGTkmgt]i?[Bb]\s*$")
    """Memory that DuckDB may use: a number and KB, MB, GB or TB, or KiB, MiB, GiB, TiB."""
    threads: int = Field(default=1, ge=1)
    """Threads of torch and of each numeric library; one is fastest for small policies on shared cores."""
    task_runner: Literal["threads", "processes", "ray"] = "threads"
    """Where evidence for new tasks is gathered: threads of this process, processes, or a Ray cluster (extra `ray`)."""
    workers: int = Field(default=2, ge=1)
    """Batches examined at once."""
    ray_address: str | None = None
    """Address of a Ray cluster; none starts one on this machine for the run."""
    embedder: str | None = None
    """Sentence model (a hub name or a folder) by whose meaning written, imported and grown tasks are compared with each
    other and with benchmarks; none compares wording and numbers alone."""
    judge_workers: int = Field(default=2, ge=1)
    """Sandbox workers that judge programs."""
    webhook: SecretStr | None = None
    """URL told of every critical alarm."""

    @property
    def place(self) -> Home:
        """The home, its catalog and where its files lie; raises `UserError` where they contradict its `home.json`."""
        url = self.catalog_url.get_secret_value() if self.catalog_url else None
        return Home.at(self.home, catalog_url=url, data_url=self.data_url)


def read_settings(home: Path | None = None) -> Settings:
    """The settings of this process, for `home` where it is given; raises `UserError` for a variable out of range."""
    try:
        return Settings() if home is None else Settings(home=home)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0])
        told = "" if name in SECRET else f"='{first['input']}'"
        raise UserError(f"GRADATIM_{name.upper()}{told}: {first['msg']}; see: README.md, Configuration") from error


def set_process_environment(settings: Settings) -> None:
    """Set thread counts and Prefect's environment; must run before torch, DuckDB or Prefect are imported.

    An environment variable that the user already set wins.
    """
    prefect_home = Path(settings.home).absolute() / "prefect"
    for name, value in {
        "OMP_NUM_THREADS": str(settings.threads),
        "OPENBLAS_NUM_THREADS": str(settings.threads),
        "MKL_NUM_THREADS": str(settings.threads),
        "OMP_WAIT_POLICY": "PASSIVE",
        "TOKENIZERS_PARALLELISM": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_HOME": str(prefect_home),
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "300",
        "PREFECT_LOGGING_LEVEL": "WARNING",
        "PREFECT_INTERNAL_LOGGING_LEVEL": "CRITICAL",
        "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_raylet_start_wait_time_s": "300",
        "TRANSFORMERS_VERBOSITY": "error",
    }.items():
        os.environ.setdefault(name, value)


def prepared(home: Path) -> Settings:
    """The settings of this process for `home`, with its environment set.

    Raises `UserError` when the folder cannot be made or written; one that is not there is left to what writes.
    """
    settings = read_settings(home)
    set_process_environment(settings)
    mark_children()
    try:
        with tempfile.TemporaryFile(dir=standing(home)):
            pass
    except OSError as error:
        raise UserError(
            f"home '{home}' cannot be written: {error.strerror}; choose another: gradatim --home DIR"
        ) from error
    return settings


def standing(home: Path) -> Path:
    """The home, or the nearest folder above it that is there."""
    place = home.absolute()
    while not place.exists():
        place = place.parent
    return place


def at_home(home: Path | None) -> Settings:
    """The settings for `home`, as a flow is given it; without one the home that `GRADATIM_HOME` names.

    Raises `UserError` when neither is there: a deployed run has a folder of its own that goes away with it.
    """
    if home is not None:
        return read_settings(home)
    if not os.environ.get("GRADATIM_HOME"):
        raise UserError("a deployed run needs a home: set GRADATIM_HOME for the worker, or give the parameter 'home'")
    return read_settings()
