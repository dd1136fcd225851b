"""`gradatim doctor`: what works on this machine and how to mend what does not."""

from __future__ import annotations

import typer

from flows.cli.options import AsJson, home_of
from flows.cli.output import Output


def command(context: typer.Context, as_json: AsJson = False) -> None:
    """Probe isolation, torch, vLLM, the warehouse and the disk; exit code 1 when a campaign cannot run here.

    Example: gradatim doctor --json
    """
    from flows.settings import prepared
    from flows.steps.health import probes

    found = probes(prepared(home_of(context)))
    Output(as_json=as_json).rows([probe._asdict() for probe in found])
    if any(probe.needed and not probe.works for probe in found):
        raise typer.Exit(1)
