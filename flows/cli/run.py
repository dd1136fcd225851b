"""`gradatim run`: the whole loop as one campaign."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import print_json, print_summary, print_table, say


def command(
    context: typer.Context,
    config: Annotated[Path | None, typer.Option(help="TOML file; the pocket campaign without one.")] = None,
    source: Annotated[list[str] | None, typer.Option(help="NAME=PATH of a corpus to bring in; may repeat.")] = None,
    new: Annotated[bool, typer.Option("--new", help="Run another campaign even if this one is finished.")] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Synthesise, train and measure a policy; an interrupted campaign goes on, a finished one is verified.

    Example: gradatim run --config configs/pocket.toml
    """
    from flows.launch import launch_campaign

    result = launch_campaign(home_of(context), config, source or [], new=new, dry_run=dry_run, say=say)
    if as_json:
        print_json(result)
    elif dry_run:
        print_table(_asked(result), title=f"campaign {result['campaign_id']}; nothing was done")
    else:
        print_summary(result)


def _written(config: Mapping[str, Any]) -> str:
    """How many tasks models are asked for."""
    from flows.campaign import CampaignConfig

    own, n = config["writing"]["n_proposals"], CampaignConfig.model_validate(config).n_written
    told = [f"{own} proposals of the pocket pair"] if own else []
    if n:
        writer, checker = (config["models"][role]["model"] for role in ("writer", "checker"))
        styles = ", ".join(config["synthesis"]["written"]["styles"])
        told.append(f"{n} tasks of {writer}, checked by {checker}, as {styles}")
    return " and ".join(told) or "no proposals"


def _asked(result: Mapping[str, Any]) -> list[dict[str, object]]:
    """What the campaign would do, step by step."""
    config = result["config"]
    made, stage, measured = config["synthesis"], config["stage"], config["evaluation"]
    families = [*made["families"], *measured["unseen_families"]]
    rollouts = stage["n_steps"] * stage["prompts_per_step"] * stage["group_size"]
    drawn = [name for name in (config["curriculum"]["scheduler"], config["curriculum"]["baseline"]) if name]
    n_stages = config["curriculum"]["n_stages"]
    return [
        {"step": "home", "what": result["home"]},
        {"step": "make tasks", "what": f"{made['n_per_family']} attempts of each of {', '.join(families) or 'none'}"},
        {"step": "from sources", "what": ", ".join(made["sources"]) or "none"},
        {"step": "written by models", "what": _written(config)},
        {"step": "warm start", "what": f"{config['policy']['name']}, {config['warm_start']['n_steps']} steps"},
        {
            "step": "train",
            "what": f"{n_stages} stages of {stage['n_steps']} steps and {rollouts} rollouts, by {' and '.join(drawn)}",
        },
        {
            "step": "measure",
            "what": f"at most {measured['n_tasks']} held-out tasks x {measured['n_samples']} samples after each stage",
        },
        {"step": "end", "what": "a report; finished before: " + ("yes, only verified" if result["finished"] else "no")},
    ]
