"""`python -m trainer.run stage.toml`: one training stage as a process of its own."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
import transformers

from curriculum import schedulers
from curriculum.pool import pool_of
from trainer import policies, stagefile
from trainer.engines.referee import judge_for
from trainer.errors import StageFailed
from trainer.sampling import PastGroup
from trainer.stagefile import StageFile
from trainer.supervised import supervise
from trainer.training import Stage, Trained
from warehouse.errors import GradatimError, UserError
from warehouse.records import Domain, Split, Task
from warehouse.store import Store

RESULT, FAILURE = "result.json", "failure.json"
"""What a stage leaves in its spool folder when it ends."""

NOT_JUDGED = "All reward functions returned None"
"""What TRL warns of at every step with an undecided rollout; such rollouts are rows that say why."""

EXIT_FAILED = 3
"""Exit code of a stage that failed for a reason it could name; 2 is a request that cannot be carried out."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the stage in the file named on the command line; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if len(given) != 1:
        print("usage: python -m trainer.run STAGE.toml", file=sys.stderr)
        return 2
    try:
        stage = stagefile.read(Path(given[0]))
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    _quiet()
    try:
        trained = run(stage)
    except UserError as error:
        return _failed(stage, error, 2)
    except GradatimError as error:
        return _failed(stage, error, EXIT_FAILED)
    except (MemoryError, torch.OutOfMemoryError) as error:
        return _failed(stage, StageFailed(f"out of memory: {error}; see: [stage] prompts_per_step"), EXIT_FAILED)
    if int(os.environ.get("RANK", "0")) == 0:
        _write(stage, RESULT, _result(trained))
    return 0


def run(stage: StageFile) -> Trained:
    """Train `stage` on the tasks that its snapshot holds; prints one JSON line a step."""
    tasks, canary, history = load(stage)
    if not tasks:
        raise StageFailed(f"stage {stage.stage_id} has no task left to train on; its plan's tasks vanished")
    policy = policies.load(stage.policy, stage.home)
    room = policy.model.config.max_position_embeddings - stage.trainer.sampling.max_tokens
    tasks = _within_context(tasks, policy, min(stage.trainer.policy.max_prompt_tokens, room))
    make_judge = partial(judge_for, _rubrics(tasks), stage.trainer.referee, Path(stage.home), policy.lineage)
    if stage.kind == "sft":
        with make_judge() as judge:
            return supervise(
                stage, policy=policy, tasks=tasks, solutions=solutions(stage, tasks), judge=judge, progress=_print_step
            )
    pool = pool_of(tasks)
    scheduler = schedulers.get(stage.scheduler)(pool, stage.scheduler_config, stage.seed)
    with make_judge() as judge:
        prepared = Stage(
            stage,
            policy=policy,
            tasks=tasks,
            scheduler=scheduler,
            judge=judge,
            progress=_print_step,
            canary=canary,
            n_processes=int(os.environ.get("WORLD_SIZE", "1")),
            make_judge=make_judge,
        )
        if not prepared.restored:
            prepared.replay(past_outcomes(tasks, history))
        return prepared.train()


def _rubrics(tasks: Sequence[Task]) -> list[Task]:
    """One rubric task, where there is one: enough to say that a judge is needed."""
    return [task for task in tasks if task.domain is Domain.RUBRIC][:1]


def load(stage: StageFile) -> tuple[list[Task], list[Task], list[dict[str, Any]]]:
    """Tasks to train on, by id; canary tasks; groups the policy's line sampled: all at the pinned snapshot."""
    with Store.open(stage.home, snapshot=stage.snapshot_id, threads=1) as store:
        arms = frozenset(stage.arms)
        found = [task for task in store.tasks(split=Split.TRAIN) if not arms or task.arm in arms]
        families = {task.family for task in found}
        canary = [task for task in store.tasks(split=Split.CANARY) if task.family in families]
        history = store.named("groups", policy=stage.policy_id).to_pylist() if stage.policy_id else []
    return sorted(found, key=lambda task: task.task_id), canary, history


def solutions(stage: StageFile, tasks: Sequence[Task]) -> list[tuple[Task, str]]:
    """Right completions of `tasks` at the pinned snapshot: references, bare golds, and rollouts that passed."""
    with Store.open(stage.home, snapshot=stage.snapshot_id, threads=1) as store:
        passed = store.named("verified_solutions").to_pylist()
    by_id = {task.task_id: task for task in tasks}
    known = [(task, task.reference) for task in tasks if task.reference is not None]
    bare = [(t, t.gold) for t in tasks if t.gold is not None and t.params.get("answer_format") == "bare"]
    return [*known, *bare, *((by_id[row["task_id"]], row["completion"]) for row in passed if row["task_id"] in by_id)]


def past_outcomes(tasks: Sequence[Task], history: Sequence[Mapping[str, Any]]) -> list[list[PastGroup]]:
    """`history` as groups of `tasks` by moment of sampling, oldest first; tasks that are gone are left out."""
    place = {task.task_id: index for index, task in enumerate(tasks)}
    moments: dict[int, list[PastGroup]] = {}
    for row in history:
        if row["task_id"] in place:
            group = PastGroup(place[row["task_id"]], int(row["n"]), int(row["c"]), str(row["reason"]))
            moments.setdefault(int(row["moment"]), []).append(group)
    return [moments[moment] for moment in sorted(moments)]


def _within_context(tasks: Sequence[Task], policy: policies.LoadedPolicy, limit: int) -> list[Task]:
    lengths = [len(ids) for ids in policy.encode([task.prompt for task in tasks])]
    kept = [task for task, length in zip(tasks, lengths, strict=True) if length <= limit]
    if len(kept) < len(tasks):
        print(json.dumps({"left_out": len(tasks) - len(kept), "max_prompt_tokens": limit}), flush=True)
    return kept


def _print_step(step: int, logs: Mapping[str, Any]) -> None:
    shown = {name: logs.get(name) for name in ("loss", "reward", "entropy", "frac_reward_zero_std")}
    print(json.dumps({"step": step, **shown}), flush=True)


def _result(trained: Trained) -> dict[str, Any]:
    return {
        "checkpoint": str(trained.checkpoint.folder),
        "policy_id": trained.checkpoint.policy_id,
        "weights_hash": trained.checkpoint.weights_hash,
        "step": trained.checkpoint.step,
        "n_steps": trained.n_steps,
        "n_rollouts": trained.n_rollouts,
        "reason": trained.reason,
    }


def _failed(stage: StageFile, error: GradatimError, code: int) -> int:
    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    _write(stage, FAILURE, {"error": type(error).__name__, "message": str(error), "at": time.time()})
    return code


def _write(stage: StageFile, name: str, value: Mapping[str, Any]) -> None:
    stage.spool.mkdir(parents=True, exist_ok=True)
    draft = stage.spool / f"{name}.tmp"
    draft.write_text(json.dumps(value), "utf-8")
    os.replace(draft, stage.spool / name)


def _quiet() -> None:
    warnings.filterwarnings("ignore", category=FutureWarning)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    grpo = logging.getLogger("trl.trainer.grpo_trainer")
    grpo.addFilter(lambda record: NOT_JUDGED not in record.getMessage())


if __name__ == "__main__":
    sys.exit(main())
