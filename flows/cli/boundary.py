"""Where errors become one line and an exit code: 0 done, 1 failed, 2 refused as asked, 130 interrupted."""

from __future__ import annotations

import codecs
import io
import os
import sys
import tempfile
import traceback
from typing import NoReturn, TextIO

from warehouse.errors import GradatimError, UserError

SERVER = ("httpx", "httpcore", "prefect")
"""Packages whose errors say that the orchestrator, not the work, has failed."""

INTERRUPTED = 130

LIKE = str.maketrans({"…": "~", "•": "*", "–": "-", "—": "-", "’": "'", "“": '"', "”": '"', "×": "x", "→": ">"})
"""What stands for a sign on a terminal without UTF-8."""


NAMED = (FileNotFoundError, FileExistsError, PermissionError, IsADirectoryError, NotADirectoryError)
"""What is wrong with a path that somebody named; any other error of the system is a failure."""


def main() -> None:
    """Run the command line and exit."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    _say_all()
    from flows.cli.app import app

    try:
        app()
    except UserError as error:
        _leave(error, code=2)
    except GradatimError as error:
        _leave(error, code=1)
    except OSError as error:
        _leave(error, code=2 if isinstance(error, NAMED) else 1)
    except KeyboardInterrupt:
        _interrupted()
    except SystemExit as left:  # Typer ends an interrupted verb in silence
        if left.code == INTERRUPTED:
            _interrupted()
        raise
    except Exception as error:
        if not type(error).__module__.startswith(SERVER):
            _leave(_recorded(error), code=1)
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"
        _leave(
            GradatimError(
                f"the Prefect server does not answer or refuses ({said}); what is committed stays, and the same "
                "command goes on from there once it is back"
            ),
            code=1,
        )


def _say_all() -> None:
    """Let streams that are not UTF-8 escape what they cannot say, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not is_unicode(stream):
            stream.reconfigure(errors="gradatim")


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Signs that have a likeness become it, at the same width; others are escaped."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    told = error.object[error.start : error.end].translate(LIKE)
    return told.encode("ascii", "backslashreplace").decode(), error.end


codecs.register_error("gradatim", _in_ascii)


def is_unicode(stream: TextIO) -> bool:
    """Whether a stream can say every character."""
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")


def _interrupted() -> NoReturn:
    print("gradatim: interrupted; the same command goes on from the last finished step", file=sys.stderr)
    sys.exit(INTERRUPTED)


def _recorded(error: Exception) -> GradatimError:
    """An error that nobody foresaw, with its traceback in a file that its reader can send."""
    number, path = tempfile.mkstemp(prefix="gradatim-", suffix=".txt")
    with open(number, "w", encoding="utf-8", errors="backslashreplace") as file:
        traceback.print_exception(error, file=file)
    return GradatimError(
        f"{type(error).__name__}: {str(error)[:300]}; nobody foresaw this, which is a defect of gradatim; "
        f"where it happened is in {path}; see: gradatim doctor"
    )


def _leave(error: Exception, *, code: int) -> NoReturn:
    print(f"gradatim: {' '.join(str(error).split())}", file=sys.stderr)
    sys.exit(code)
