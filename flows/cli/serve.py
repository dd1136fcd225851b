"""`gradatim serve`: schedules and events, from one process."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import Output, print_json, say


def command(
    context: typer.Context,
    port: Annotated[int, typer.Option(help="Port of the Prefect server.", min=1, max=65534)] = 4200,
    file: Annotated[Path | None, typer.Option(help="Deployments; gradatim's own prefect.yaml without it.")] = None,
    limit: Annotated[int, typer.Option(help="Runs at once, over all deployments.", min=1)] = 2,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Serve every deployment of prefect.yaml until Ctrl-C: a Prefect server in the home, and a worker.

    PREFECT_API_URL names a server of your own instead. A run that comes due while one of the same deployment goes on
    is cancelled with the reason.

    Example: gradatim --home .gradatim serve --port 4200
    """
    from flows.orphans import end_orphans
    from flows.serving import POOL, deployments_file, read_deployments, register, server_at
    from flows.settings import prepared

    yaml = deployments_file(file)
    listed = read_deployments(yaml)
    if dry_run:
        Output(as_json=as_json).rows(listed)
        return
    home = home_of(context).absolute()
    prepared(home)
    os.environ["GRADATIM_HOME"] = str(home)
    end_orphans(Path(os.environ["PREFECT_HOME"]))
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    with server_at(home, port) as url:
        import asyncio

        from flows.orchestration import LIMITS
        from flows.serving.limits import make_limits
        from flows.serving.work import make_pool, work

        asyncio.run(make_pool(POOL))
        asyncio.run(make_limits(LIMITS))
        register(yaml)

        def ready() -> None:
            if as_json:
                print_json({"api": url, "home": str(home), "deployments": listed})
            else:
                Output(as_json=False).rows(listed, title=f"served at {url.removesuffix('/api')}")
                say("Ctrl-C ends; to start one by hand: prefect deployment run FLOW/NAME")

        work(POOL, limit=limit, ready=ready)
    say("gradatim: served no more; nothing is left running")


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt
