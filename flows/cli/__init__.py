"""The command `gradatim`: one verb a file."""

from flows.cli.boundary import main

__all__ = ["main"]
