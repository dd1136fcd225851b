"""The policy that a campaign starts from: warm-started on demonstrations, or loaded as it is."""

from __future__ import annotations

import time
from dataclasses import replace

from flows.campaign import CampaignConfig
from flows.progress import Progress
from flows.workshop import Workshop, code_version
from synth.graders import Judge
from trainer import policies
from trainer.pocket_agent import warm_started
from trainer.policies import POCKET_AGENT, POCKET_TOOLS, LoadedPolicy
from trainer.sft import clean_pairs, warm_start
from warehouse.records import JsonValue, RunStatus, Stage, content_hash


def start_policy(shop: Workshop, config: CampaignConfig, *, campaign_id: str) -> str:
    """The id of the campaign's first policy, made once for each configuration of it."""
    settings: dict[str, JsonValue] = {
        "policy": config.policy.model_dump(mode="json"),
        "warm_start": config.warm_start.model_dump(mode="json"),
        "families": list(config.synthesis.families),
        "seed": config.seed,
    }
    stage_id = content_hash("warm_start", settings)
    done = shop.store.read(Stage, "stage_id = $id AND status = 'finished'", {"id": stage_id})
    if done and done[0].policy_out:
        return done[0].policy_out
    began = time.monotonic()
    started = Stage(
        stage_id=stage_id,
        campaign_id=campaign_id,
        stage_index=0,
        kind="sft",
        status=RunStatus.STARTED,
        snapshot_id=shop.store.snapshot(),
        config=settings,
        code_version=code_version(),
    )
    shop.commit([started], batch=f"{stage_id}:started", purpose="warm start begins")
    policy = policies.load(config.policy, shop.home.root, seed=config.seed)
    if config.warm_start.n_steps:
        policy = policies.save(_trained(policy, config, shop.judge), shop.home.checkpoints / stage_id)
    finished = replace(
        started,
        status=RunStatus.FINISHED,
        policy_out=policy.policy_id,
        n_steps=config.warm_start.n_steps,
        duration_s=time.monotonic() - began,
    )
    row = policies.record(policy, shop.home.root, stage_id=stage_id)
    shop.commit([row, finished], batch=f"{stage_id}:finished", purpose="warm start")
    return policy.policy_id


def _trained(policy: LoadedPolicy, config: CampaignConfig, judge: Judge) -> LoadedPolicy:
    """`policy` after supervised steps on clean demonstrations, or an agent's scripts; hard levels are rare in both."""
    settings, seed = config.warm_start, config.seed
    with Progress("warm start", total=settings.n_steps) as progress:

        def told(step: int, loss: float) -> None:
            progress.to(step + 1, f"loss {loss:.3f}")

        if config.policy.name in (POCKET_AGENT, POCKET_TOOLS):
            families = config.synthesis.families
            return warm_started(policy, settings, judge.pool, seed=seed, families=families, progress=told).policy
        pairs = clean_pairs(config.synthesis.families, settings, seed=seed)
        return warm_start(policy, pairs, settings, seed=seed, progress=told).policy
