"""Starting a campaign from the command line: finished ones are verified before the orchestrator is even imported."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from flows.campaign import CampaignConfig, CampaignIds, campaign_ids, read_config
from flows.settings import Settings, prepared
from flows.steps.sources import check_benchmarks, parse_sources, sha256_of
from trainer.knobs import check_stage
from warehouse.errors import GradatimError
from warehouse.records import JsonValue


def launch_campaign(
    home: Path,
    config_path: Path | None,
    sources: Sequence[str],
    *,
    new: bool,
    dry_run: bool,
    say: Callable[[str], None],
) -> Mapping[str, JsonValue]:
    """Run, continue or verify the campaign that the arguments name; returns its result.

    Settings that a stage would refuse are refused here, before anything is made.
    """
    settings = prepared(home)
    config = read_config(config_path)
    check_stage(config.stage, config.sampling, graders=config.graders)
    paths = parse_sources(sources)
    check_benchmarks(settings, [name for name in config.synthesis.benchmarks if name not in paths])
    nonce = uuid.uuid4().hex if new else ""
    ids = campaign_ids(config, {name: sha256_of(path) for name, path in paths.items()}, nonce)
    if dry_run:
        return {
            "campaign_id": ids.campaign,
            "home": str(home),
            "config": config.model_dump(mode="json"),
            "finished": _finished(settings, ids, read_only=True) is not None,
        }
    done = _finished(settings, ids)
    if done is not None:
        say(f"campaign {ids.campaign} is finished; checkpoints, snapshots and report verified. --new runs another.")
        return done
    _run(config, ids, settings, paths)
    result = _finished(settings, ids)
    if result is None:
        raise GradatimError(f"campaign {ids.campaign} ended, but what it left does not verify; see: gradatim doctor")
    return result


def _finished(settings: Settings, ids: CampaignIds, *, read_only: bool = False) -> Mapping[str, JsonValue] | None:
    if not settings.place.exists:
        return None
    from flows.steps.finished import finished_result
    from flows.workshop import open_store

    with open_store(settings, read_only=read_only) as store:
        return finished_result(store, ids.campaign, ids.baseline)


def _run(config: CampaignConfig, ids: CampaignIds, settings: Settings, paths: Mapping[str, Path]) -> None:
    from flows.run_campaign import run_campaign

    run_campaign(config, ids, settings.home, dict(paths))
