"""The whole loop: synthesise, warm-start, then calibrate, plan, train and evaluate stage by stage, then report."""

from __future__ import annotations

from pathlib import Path

from flows.campaign import CampaignConfig, with_scheduler
from flows.orchestration import verb_flow
from flows.settings import Settings
from flows.work import calibrate, evaluate, import_source, make_tasks, plan, report, start_policy, train
from flows.workshop import Workshop, workshop


@verb_flow("run_campaign")
def run_campaign(
    config: CampaignConfig, campaign: str, baseline: str, home: Path, sources: dict[str, Path], nonce: str = ""
) -> str:
    """Run or continue the campaign `campaign`; returns the id of this run."""
    settings = Settings(home=home)
    with workshop(settings, flow="run_campaign", config=config.model_dump(mode="json"), campaign_id=campaign) as shop:
        for name, path in sources.items():
            import_source(shop, name, path, campaign_id=campaign)
        make_tasks(shop, config, campaign_id=campaign, nonce=nonce)
        train_arm(shop, config, campaign)
        if config.curriculum.baseline is not None:
            train_arm(shop, with_scheduler(config, config.curriculum.baseline), baseline)
        report(shop, config, campaign_id=campaign, baseline_id=baseline)
        return shop.run


def train_arm(shop: Workshop, config: CampaignConfig, campaign: str) -> None:
    """All stages of one scheduler from the common start."""
    policy = start_policy(shop, config, campaign_id=campaign)
    evaluate(shop, config, policy, campaign_id=campaign, index=0)
    for index in range(1, config.curriculum.n_stages + 1):
        calibrate(shop, config, policy)
        mixture = plan(shop, config, policy, campaign_id=campaign, index=index)
        policy = train(shop, config, mixture, campaign_id=campaign, index=index)
        evaluate(shop, config, policy, campaign_id=campaign, index=index)
