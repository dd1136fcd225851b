"""Where errors become one line and an exit code: 0 done, 1 failed, 2 refused as asked, 130 interrupted."""

from __future__ import annotations

import os
import sys

from warehouse.errors import GradatimError, UserError


def main() -> None:
    """Run the command line and exit."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from flows.cli.app import app

    try:
        app()
    except UserError as error:
        _leave(error, code=2)
    except GradatimError as error:
        _leave(error, code=1)
    except OSError as error:
        _leave(error, code=2)
    except KeyboardInterrupt:
        print("gradatim: interrupted; the same command goes on from the last finished step", file=sys.stderr)
        sys.exit(130)


def _leave(error: Exception, *, code: int) -> None:
    print(f"gradatim: {' '.join(str(error).split())}", file=sys.stderr)
    sys.exit(code)
