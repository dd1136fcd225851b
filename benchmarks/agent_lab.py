"""What laboratories of policies that act share: admitted tasks, episodes of a saved policy, and one stage of GRPO."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from curriculum import schedulers
from curriculum.pool import pool_of
from synth.environments.makers import MAKERS
from synth.graders import Judge
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Request
from trainer import policies
from trainer.config import GuardConfig, SamplingConfig, StageConfig, TrainerConfig
from trainer.evaluate import sample_and_judge
from trainer.pocket_agent import SAMPLING
from trainer.rewards import JudgeLike
from trainer.stagefile import StageFile
from trainer.training import Stage
from warehouse.records import Rollout, RolloutPurpose, Task

Kept = Callable[[Task], bool]


def admitted(family: str, n: int, kept: Kept, *, seed: int, judge: Judge) -> list[Task]:
    """`n` admitted tasks of each level that `kept` takes, made until there are so many; by identity."""
    maker, found = MAKERS.get(family), list[Task]()
    for level in maker.levels:
        admission = Admission("bench", judge, Novelty(), checks=maker.checks(judge.pool))
        own: list[Task] = []
        for start in range(0, 40 * n, 4 * n):
            batches = admit(
                maker.made(Request(family, level, 4 * n, seed, start), judge.pool), maker.generator, admission
            )
            own += [task for batch in batches for task in batch.accepted if kept(task)]
            if len(own) >= n:
                break
        found += own[:n]
    return sorted(found, key=lambda task: task.task_id)


def played(
    folder: Path, tasks: Sequence[Task], judge: Judge, *, n: int, seed: int = 0, sampling: SamplingConfig = SAMPLING
) -> list[Rollout]:
    """`n` episodes of every task by the policy in a folder, task by task."""
    return sample_and_judge(
        policies.load(str(folder)), tasks, judge, n=n, sampling=sampling, seed=seed, purpose=RolloutPurpose.EVAL,
        owner="lab",
    )  # fmt: skip


def stage_of(
    name: str, start: Path, tasks: Sequence[Task], judge: JudgeLike, *, home: Path, seed: int, stage: StageConfig,
    sampling: SamplingConfig = SAMPLING,
) -> tuple[Path, float]:  # fmt: skip
    """The checkpoint of one stage of GRPO on `tasks`, drawn alike, and its CPU seconds; nothing else stays."""
    began = time.process_time()
    trainer = TrainerConfig(
        stage=stage, sampling=sampling, guard=GuardConfig(every=1000, canary_tasks=0, watch_only=True)
    )
    file = StageFile(
        home=str(home), run_id="bench", stage_id=name, snapshot_id=0, seed=seed, policy=str(start),
        scheduler="uniform", trainer=trainer,
    )  # fmt: skip
    made = Stage(
        file, policy=policies.load(str(start)), tasks=tasks,
        scheduler=schedulers.get("uniform")(pool_of(tasks), {}, seed), judge=judge,
    ).train()  # fmt: skip
    shutil.rmtree(file.spool, ignore_errors=True)
    return made.checkpoint.folder, time.process_time() - began
