"""One GRPO stage: started, run in its own process, and finished with its policy as rows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from flows.campaign import CampaignConfig
from flows.progress import Progress
from flows.steps.policies import policy_row
from flows.steps.pools import training_tasks
from flows.workshop import Workshop, code_version
from trainer.config import TrainerConfig
from trainer.stage import StageResult, next_attempt, run_stage
from trainer.stagefile import StageFile
from warehouse.errors import GradatimError
from warehouse.records import JsonValue, Mixture, Policy, RunStatus, Stage, content_hash

Kind = Literal["grpo", "sft"]
"""How a stage trains: by reinforcement, or by imitating verified solutions."""

FRESH = "fresh_optimizer"
"""Key in a stage's stored configuration: its optimizer started anew, as after a roll-back."""


def train_stage(
    shop: Workshop,
    config: CampaignConfig,
    mixture: Mixture,
    *,
    campaign_id: str,
    index: int,
    fresh: bool = False,
    kind: Kind = "grpo",
) -> str:
    """Train stage `index` on `mixture` from the policy it was planned for; returns the policy it made.

    `kind` "sft" imitates verified solutions of the plan's arms instead of reinforcing. `fresh` starts the optimizer
    and its warm-up anew, instead of going on with those behind the policy.
    A finished stage is found by its key and costs nothing; a killed one goes on from its last checkpoint.
    Raises `StageFailed` with the reason when the stage cannot end; the row says so too.
    """
    file = stage_file(shop, config, mixture, index=index, fresh=fresh, kind=kind)
    done = shop.store.read(Stage, "stage_id = $id AND status = 'finished'", {"id": file.stage_id})
    if done and done[0].policy_out:
        return done[0].policy_out
    started = Stage(
        stage_id=file.stage_id,
        campaign_id=campaign_id,
        stage_index=index,
        kind=kind,
        status=RunStatus.STARTED,
        attempt=file.attempt,
        mixture_id=mixture.mixture_id,
        snapshot_id=file.snapshot_id,
        policy_in=mixture.policy_id,
        config=file.trainer.model_dump(mode="json") | ({FRESH: True} if fresh else {}),
        code_version=code_version(),
    )
    mark = f"{file.stage_id}:{file.attempt}"
    shop.commit([started], batch=f"{mark}:started", purpose=f"stage {index} begins")
    try:
        result = _run(shop, file, label(config, index))
    except GradatimError as error:
        failed = replace(started, status=RunStatus.FAILED, reason=str(error))
        shop.commit([failed], batch=f"{mark}:failed", purpose=f"stage {index} failed")
        raise
    finished = replace(
        started,
        status=RunStatus.FINISHED,
        policy_out=result.policy_id,
        n_steps=result.n_steps,
        n_rollouts=result.n_rollouts + _spent_before(shop, file),
        duration_s=result.duration_s,
        reason=result.reason,
    )
    made = [_policy(shop, mixture, result, file)] if result.policy_id != mixture.policy_id else []
    shop.commit([*made, finished], batch=f"{mark}:finished", purpose=f"stage {index}")
    return result.policy_id


def stage_file(
    shop: Workshop, config: CampaignConfig, mixture: Mixture, *, index: int, fresh: bool = False, kind: Kind = "grpo"
) -> StageFile:
    """Everything the stage's process needs; its key is the hash of its input tasks, policy, plan and configuration."""
    trainer = TrainerConfig(
        policy=config.policy,
        warm_start=config.warm_start,
        sampling=config.sampling,
        stage=config.stage,
        sft=config.sft,
        guard=config.guard,
        graders=config.graders,
        referee=config.models.referee,
        evaluation=config.evaluation,
    )
    task_ids = sorted(task.task_id for task in training_tasks(shop, config))
    scheduler = config.curriculum.scheduler_config | {"group": config.stage.group_size}
    if mixture.scheduler == "frontier":
        scheduler["weights"] = dict(mixture.weights)
    parent = policy_row(shop, mixture.policy_id)
    behind = [] if fresh or kind == "sft" else _stages_behind(shop, parent)
    settings = trainer.model_dump(mode="json", include={"policy", "sampling", "stage", "guard"})
    if kind == "sft":
        settings = {"sft": trainer.sft.model_dump(mode="json"), "policy": settings["policy"]}
    if trainer.graders is not None:
        settings["graders"] = trainer.graders.version
    if "non_verifiable" in config.synthesis.train_on and config.models.referee is not None:
        settings["referee"] = config.models.referee.identity
    anew: list[JsonValue] = [FRESH] if fresh else []
    key = content_hash(
        "stage", index, task_ids, parent.policy_id, mixture.scheduler, scheduler, settings, config.seed, *anew
    )
    file = StageFile(
        kind=kind,
        home=str(shop.home.root),
        run_id=shop.run,
        stage_id=key,
        stage_index=index,
        snapshot_id=shop.store.snapshot(),
        seed=config.seed,
        policy=parent.path or parent.name,
        policy_id=parent.policy_id,
        continue_from=parent.path if behind else None,
        first_step=sum(stage.n_steps for stage in behind),
        scheduler=mixture.scheduler,
        scheduler_config=scheduler,
        arms=tuple(sorted(mixture.weights)),
        trainer=trainer,
    )
    return next_attempt(file)


def _stages_behind(shop: Workshop, policy: Policy) -> list[Stage]:
    """The GRPO stages that led to `policy`, the newest first: their optimizer goes on."""
    stages: list[Stage] = []
    while policy.stage_id is not None:
        made = shop.store.read(Stage, "stage_id = $id AND status = 'finished'", {"id": policy.stage_id})
        if not made or made[0].kind != "grpo" or made[0].policy_in is None:
            break
        stages.append(made[0])
        if made[0].config.get(FRESH):
            break
        policy = policy_row(shop, made[0].policy_in)
    return stages


def _spent_before(shop: Workshop, file: StageFile) -> int:
    """Rollouts that earlier, killed attempts of the stage paid for, those of steps that were done again too."""
    found = shop.store.rows(
        "SELECT count(*) AS n FROM rollouts WHERE stage_id = $id AND stage_attempt < $attempt",
        {"id": file.stage_id, "attempt": file.attempt},
    )
    return int(found[0]["n"])


def label(config: CampaignConfig, index: int) -> str:
    """What progress calls a stage; that of a baseline, which has no baseline of its own, names its scheduler too."""
    return (
        f"stage {index}" if config.curriculum.baseline is not None else f"{config.curriculum.scheduler} stage {index}"
    )


def _run(shop: Workshop, file: StageFile, what: str) -> StageResult:
    with Progress(what, total=file.last_step - file.first_step) as progress:

        def show(step: Mapping[str, Any]) -> None:
            if "step" in step:
                progress.to(int(step["step"]), _note(step))

        return run_stage(file, shop.store, progress=show)


def _note(step: Mapping[str, Any]) -> str:
    shown = [(name, step.get(name)) for name in ("reward", "entropy")]
    return " ".join(f"{name} {value:.3f}" for name, value in shown if isinstance(value, (int, float)))


def _policy(shop: Workshop, mixture: Mixture, result: StageResult, file: StageFile) -> Policy:
    parent = policy_row(shop, mixture.policy_id)
    return Policy(
        policy_id=result.policy_id,
        name=parent.name,
        lineage=parent.lineage,
        parent=parent.policy_id,
        stage_id=file.stage_id,
        weights_hash=result.weights_hash,
        path=os.path.normpath(result.checkpoint),
        n_parameters=parent.n_parameters,
    )
