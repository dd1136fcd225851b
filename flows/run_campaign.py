"""The whole loop: synthesise, warm-start, then calibrate, plan, train and evaluate stage by stage, then report."""

from __future__ import annotations

from pathlib import Path

from flows.artifacts import show_funnel, show_report
from flows.calibrate_difficulty import calibrate
from flows.campaign import CampaignConfig, CampaignIds, with_scheduler
from flows.curriculum_stage import restock
from flows.evaluate_policy import measure
from flows.import_corpus import import_source
from flows.orchestration import GPU, step, verb_flow
from flows.plan_mixture import plan
from flows.settings import Settings
from flows.steps import agents, asked_of_models, reporting, synthesis, written
from flows.steps.reach import reach
from flows.steps.steering import outset
from flows.steps.watching import conclude
from flows.synthesize_agents import make_agents
from flows.synthesize_tasks import make_tasks
from flows.train_stage import start_policy, train
from flows.watch_collapse import watch
from flows.workshop import Workshop, workshop

write_report = step("report")(reporting.write_report)
write_tasks = step("write", shares=GPU)(written.write_tasks)


ask_models = step("ask models")(asked_of_models.ask_models)


@verb_flow("run_campaign")
def run_campaign(config: CampaignConfig, ids: CampaignIds, home: Path, sources: dict[str, Path]) -> str:
    """Run or continue a campaign from its last finished step; returns the id of this run."""
    settings = Settings(home=home)
    stored = config.model_dump(mode="json")
    with workshop(settings, flow="run_campaign", config=stored, campaign_id=ids.campaign) as shop:
        for name, path in sources.items():
            import_source(shop, name, path)
        if episodes := agents.requests_of(config, ids.nonce):
            make_agents(shop, episodes, campaign_id=ids.campaign)
        requests, unlike = synthesis.requests_of(config, ids.nonce), config.synthesis.benchmarks
        show_funnel(make_tasks(shop, requests, campaign_id=ids.campaign, benchmarks=unlike))
        write_tasks(shop, config, ids)
        ask_models(shop, config, ids)
        policy = start_policy(shop, config, campaign_id=ids.campaign)
        reached = reach(shop, config, policy, [*sources, *config.written_families])
        train_arm(shop, reached, policy, ids.campaign)
        if config.curriculum.baseline is not None:
            train_arm(shop, with_scheduler(reached, config.curriculum.baseline), policy, ids.baseline)
        write_report(shop, config, ids)
        show_report(shop.home.root / str(shop.outputs["report"]))
        return shop.run


def train_arm(shop: Workshop, config: CampaignConfig, policy: str, campaign: str) -> None:
    """All stages of one scheduler from the common start, each on the course that the watch left."""
    course = outset(config, policy)
    measure(shop, config, policy, campaign_id=campaign, index=0)
    for index in range(1, config.curriculum.n_stages + 1):
        calibrate(shop, course.config, course.policy)
        mixture = plan(shop, course.config, course.policy, campaign_id=campaign, index=index)
        policy = train(shop, course.config, mixture, campaign_id=campaign, index=index, fresh=course.fresh)
        measure(shop, config, policy, campaign_id=campaign, index=index)
        course = watch(shop, config, policy, campaign_id=campaign, index=index)
        if course.ended:
            break
        if index < config.curriculum.n_stages:
            restock(shop, course.config, campaign_id=campaign, index=index)
    conclude(shop, config, policy, campaign_id=campaign, index=index)
