"""An S3-compatible object store for the Parquet files: how DuckDB reaches it, with credentials from the environment.

`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION` (or `AWS_DEFAULT_REGION`), and for
stores that are not Amazon's `AWS_ENDPOINT_URL_S3` (or `AWS_ENDPOINT_URL`). They live in DuckDB's memory only.
"""

from __future__ import annotations

import os
from urllib.parse import SplitResult, urlsplit

import duckdb

from warehouse.engine import extension_path, quoted_text
from warehouse.errors import GradatimError, UserError

SCHEME = "s3"


class ObjectStoreFailed(GradatimError):
    """DuckDB did not take the settings of the object store; the message holds none of them."""


def is_object_store(url: str | None) -> bool:
    """Whether `url` names a bucket rather than a folder; raises `UserError` for a kind that is not known."""
    if url is None or "://" not in url:
        return False
    parts = urlsplit(url)
    if parts.scheme != SCHEME or not parts.netloc or "@" in parts.netloc:
        raise UserError(
            f"data URL '{parts.scheme}://...' is not known; allowed: s3://bucket/prefix or a folder, "
            "with credentials in AWS_* variables"
        )
    return True


def open_bucket(connection: duckdb.DuckDBPyConnection, url: str) -> None:
    """Let `connection` read and write below `url`, and nowhere else on the network with these credentials.

    Raises `UserError` when the environment holds no credentials.
    """
    options = {"SCOPE": url.rstrip("/"), **_credentials()}
    said = ", ".join(f"{name} '{quoted_text(value)}'" for name, value in options.items())
    secure = "USE_SSL false, " if _endpoint().scheme == "http" else ""
    try:
        connection.execute(f"LOAD '{quoted_text(str(extension_path('httpfs')))}'")
        connection.execute("SET allow_persistent_secrets = false")
        connection.execute(f"CREATE OR REPLACE TEMPORARY SECRET bucket (TYPE s3, {secure}{said})")
    except duckdb.Error as error:
        raise ObjectStoreFailed(f"the object store cannot be set up: {type(error).__name__}") from None


def _credentials() -> dict[str, str]:
    names = {"KEY_ID": "AWS_ACCESS_KEY_ID", "SECRET": "AWS_SECRET_ACCESS_KEY"}
    for variable in names.values():
        if not os.environ.get(variable):
            raise UserError(f"{variable} is not set; an s3:// data URL needs AWS_ACCESS_KEY_ID and its secret")
    found = {option: os.environ[variable] for option, variable in names.items()}
    if token := os.environ.get("AWS_SESSION_TOKEN"):
        found["SESSION_TOKEN"] = token
    found["REGION"] = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"
    if endpoint := _endpoint().netloc:
        found |= {"ENDPOINT": endpoint, "URL_STYLE": "path"}
    return found


def _endpoint() -> SplitResult:
    return urlsplit(os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or "")
