"""`gradatim evaluate`: a policy measured under a fixed protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import AsJson, home_of
from flows.cli.output import Output, headline, interval, print_json


def command(
    context: typer.Context,
    policy: Annotated[str, typer.Option(help="Policy id, or its first characters.")],
    protocol: Annotated[
        Path | None, typer.Option(help="TOML file with tables synthesis (families) and evaluation.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Sample a policy on held-out tasks and store pass@1, pass@k, entropy and tokens with intervals.

    Example: gradatim evaluate --policy 3f2a --protocol configs/pocket.toml
    """
    from flows.campaign import read_config
    from flows.settings import prepared

    settings, campaign = prepared(home_of(context)), read_config(protocol)
    from flows.evaluate_policy import evaluate_policy

    found = evaluate_policy(settings.home, campaign, policy)
    if as_json:
        print_json(found)
        return
    rows = [
        {"group": group, **{metric: interval(figure) for metric, figure in headline(figures).items()}}
        for group, figures in found.items()
    ]
    Output(as_json=False).rows(rows)
