"""Campaigns that the warehouse knows, by id or by being the newest, and how they were configured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from flows.campaign import CampaignConfig, read_config, with_scheduler
from warehouse.errors import UserError
from warehouse.records import Run, RunStatus
from warehouse.store import Store

FLOW = "run_campaign"
"""The flow whose runs are campaigns."""
SEE = "see: gradatim sql --named runs"


def campaign_run(store: Store, campaign: str | None, *, finished: bool = False) -> Run:
    """The newest run of a campaign, named by its id, its id's start or its baseline's; the newest campaign's for none.

    `finished` asks for a finished run when no campaign is named. Raises `UserError` when none or several fit.
    """
    runs = sorted(store.read(Run, f"flow = '{FLOW}'"), key=lambda run: run.started_at)
    if campaign is None:
        fitting = [run for run in runs if not finished or run.status is RunStatus.FINISHED]
        if not fitting:
            word = "finished campaign" if finished else "campaign"
            raise UserError(f"this warehouse holds no {word}; see: gradatim run --help")
        return fitting[-1]
    fitting = [run for run in runs if any(name.startswith(campaign) for name in _names(run))]
    n = len({run.campaign_id for run in fitting})
    if not campaign or n != 1:
        raise UserError(f"campaign '{campaign}' matches {n} campaigns, must match 1; {SEE}")
    whole = [run for run in fitting if run.status is RunStatus.FINISHED]
    return (whole or fitting)[-1]


def baseline_of(run: Run) -> str | None:
    """The id of the campaign's other arm, where its run noted one."""
    noted = run.outputs.get("baseline")
    return str(noted) if noted else None


def line_of(run: Run, campaign: str | None) -> str:
    """The id of the line of training that `campaign` names: the run's own, or its baseline's."""
    names = _names(run)
    return next((name for name in names if campaign and name.startswith(campaign)), names[0])


def config_of(run: Run, line: str, path: Path | None = None) -> CampaignConfig:
    """The configuration of a line of training: the file's at `path`, else as its run stored it."""
    config = read_config(path) if path else _reached(run)
    if line == baseline_of(run) and config.curriculum.baseline:
        return with_scheduler(config, config.curriculum.baseline)
    return config


def reading(config: CampaignConfig, readable: Sequence[str]) -> CampaignConfig:
    """The campaign with those of its sources and styles of writing that are among `readable`, and no others."""
    styles = tuple(name for name in config.written_families if name in readable)
    written = config.synthesis.written.model_copy(update={"styles": styles})
    own = tuple(name for name in readable if name not in styles)
    synthesis = config.synthesis.model_copy(update={"sources": own, "written": written})
    return config.model_copy(update={"synthesis": synthesis})


def _reached(run: Run) -> CampaignConfig:
    """The configuration as the run trained by it: with the sources and styles that its policy could read."""
    config, counts = CampaignConfig.model_validate(dict(run.config)), run.outputs.get("sources")
    if not isinstance(counts, Mapping):
        return config
    return reading(config, [name for name, n in counts.items() if isinstance(n, Mapping) and n.get("within_reach")])


def _names(run: Run) -> list[str]:
    return [name for name in (run.campaign_id, baseline_of(run)) if name]
