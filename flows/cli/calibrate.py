"""`gradatim calibrate`: how hard every task is for a policy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import Output, say


def command(
    context: typer.Context,
    policy: Annotated[str | None, typer.Option(help="Policy id, or its start; the newest.")] = None,
    config: Annotated[Path | None, typer.Option(help="Configuration; the newest campaign's.")] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Probe a policy on a few tasks of each arm and store a posterior and a bucket for every task.

    Example: gradatim calibrate --policy 3f2a
    """
    from flows.campaign import read_config
    from flows.settings import prepared
    from flows.steps.calibration import asked
    from flows.steps.current import current
    from flows.steps.planning import arms_of
    from flows.steps.pools import trained_on
    from flows.workshop import looking

    settings, campaign = prepared(home_of(context)), read_config(config) if config else None
    with looking(settings) as shop:
        found, policy_id = current(shop, campaign, policy)
        say(trained_on(shop, found))
        if dry_run:
            Output(as_json=as_json).value(asked(shop, found, policy_id))
            return
    from flows.calibrate_difficulty import calibrate_difficulty

    Output(as_json=as_json).value(calibrate_difficulty(settings.home, found, policy_id))
    with looking(settings) as shop:
        arms = arms_of(shop, found, policy_id)
    n_dead = sum(arm.dead for arm in arms)
    say(
        f"these are single tasks, each by what is known of it alone; of {len(arms)} arms {n_dead} are dead, by all "
        "their rollouts together; see: gradatim plan"
    )
