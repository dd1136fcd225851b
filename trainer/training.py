"""One GRPO stage in this process: trainer, curriculum, spool and checkpoints put together."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from transformers import TrainerCallback

from curriculum.schedulers import Scheduler
from synth.graders import Judge
from trainer.asynchronous import Publisher
from trainer.checkpoints import Checkpoint, newest, seal, verify
from trainer.errors import Diverged, StageFailed
from trainer.evaluate import choose, sample_and_judge
from trainer.grpo import CurriculumTrainer
from trainer.guard import Guard
from trainer.lora import REFERENCE, adapted, write_base
from trainer.policies import LoadedPolicy
from trainer.recording import Owner, StepRecord, draw_rows, metric_rows, rollout_rows
from trainer.rewards import JudgeLike, reward_of
from trainer.sampler import JudgeMaker
from trainer.sampling import CurriculumSampler, PastGroup
from trainer.sources import sources_of
from trainer.spool import Spool
from trainer.stagefile import StageFile
from trainer.steerable import settings_of
from trainer.trl_config import grpo_config
from warehouse.records import Record, Rollout, RolloutPurpose, Task, content_hash

Progress = Callable[[int, Mapping[str, Any]], None]
"""Called with (steps done in the stage, TRL's log) after every step."""


@dataclass(frozen=True)
class Trained:
    """What a stage made: its last checkpoint, its steps, the rollouts of this attempt, and why it ended early."""

    checkpoint: Checkpoint
    n_steps: int
    n_rollouts: int
    reason: str | None = None


class Stage:
    """Everything that a running stage holds; `train` runs it to its end or to the guard's stop."""

    def __init__(
        self,
        file: StageFile,
        *,
        policy: LoadedPolicy,
        tasks: Sequence[Task],
        scheduler: Scheduler,
        judge: JudgeLike,
        progress: Progress | None = None,
        callbacks: Sequence[TrainerCallback] = (),
        canary: Sequence[Task] = (),
        n_processes: int = 1,
        make_judge: JudgeMaker | None = None,
    ) -> None:
        if not tasks:
            raise StageFailed(f"stage {file.stage_id} has no task left to train on; its plan's tasks vanished")
        self.file, self.tasks = file, tasks
        self.plan_hash = content_hash(file.scheduler, file.scheduler_config, [task.task_id for task in tasks])
        config = file.trainer
        torch.set_num_threads(config.stage.threads)
        if config.policy.lora is not None:
            policy = adapted(policy, config.policy.lora, path=file.policy, seed=file.seed)
        self.policy = policy
        self.resumed = self._resume_point()
        start = self.resumed.step if self.resumed else file.first_step
        mu = config.stage.num_iterations
        args = grpo_config(
            config.stage,
            config.sampling,
            output_dir=file.folder,
            seed=file.seed,
            last_step=file.last_step,
            n_processes=n_processes,
            graders=config.graders,
        )
        self.sampler = CurriculumSampler(
            scheduler,
            prompts_per_step=config.stage.prompts_per_step,
            group_size=config.stage.group_size,
            repeat=mu * args.gradient_accumulation_steps,
            first=start // mu,
            last=file.last_step // mu,
        )
        self.restored = self.resumed is not None and self.resumed.state.get("plan") == self.plan_hash
        if self.resumed and self.restored:
            self.sampler.restore(self.resumed.state)
        self.owner = Owner(file.stage_id, file.attempt, policy.policy_id)
        self.spool = Spool(file.spool, stage_id=file.stage_id, attempt=file.attempt)
        self.n_rollouts = 0
        make_judge = make_judge or partial(Judge, workers=1)
        self.sources = sources_of(file, tasks, policy=policy, judge=judge, make_judge=make_judge, sampler=self.sampler)
        self.rollouts = self.sources.queue
        self.guard = self._guard(policy, judge, canary)
        if self.resumed and self.resumed.state.get("stage_id") == file.stage_id and "guard" in self.resumed.state:
            self.guard.restore(self.resumed.state["guard"])
        if self.sources.factory is not None:
            args.max_completion_length = self.sources.factory.config.tokens
            args.max_tool_calling_iterations = self.sources.factory.config.calls
        policy.model.config._name_or_path = str(Path(file.home) / (file.reference or file.policy))
        self.trainer = CurriculumTrainer(
            policy=policy,
            tasks=tasks,
            sampler=self.sampler,
            reward=reward_of(file, tasks, judge, policy.lineage),
            recorder=self.record,
            args=args,
            lean=config.sampling.engine == "lean",
            sources=self.sources,
            pass_k=config.stage.pass_k,
            callbacks=[
                *callbacks,
                self.guard,
                _Diary(self, progress),
                *([Publisher(self.rollouts)] if self.rollouts else []),
            ],
        )
        self.guard.trainer = self.trainer

    def _guard(self, policy: LoadedPolicy, judge: JudgeLike, canary: Sequence[Task]) -> Guard:
        config, file = self.file.trainer.guard, self.file
        chosen = choose(canary, config.canary_tasks)

        def look(step: int) -> list[Rollout]:
            return sample_and_judge(
                policy,
                chosen,
                judge,
                n=config.canary_samples,
                sampling=file.trainer.sampling,
                seed=file.seed + step,
                purpose=RolloutPurpose.CANARY,
                owner=content_hash("canary", file.stage_id),
                stage_id=file.stage_id,
                stage_attempt=file.attempt,
                step=step,
            )

        return Guard(
            config,
            owner=self.owner,
            tasks=self.tasks,
            settings=settings_of(
                file.trainer.stage,
                file.trainer.sampling,
                scheduler=file.scheduler,
                scheduler_config=file.scheduler_config,
            ),
            spool=self._write,
            canary=look if chosen else None,
            first_step=file.first_step,
        )

    def _resume_point(self) -> Checkpoint | None:
        """This stage's newest whole checkpoint, else the one it continues from, else none."""
        own = newest(self.file.folder)
        if own is not None or self.file.continue_from is None:
            return own
        return verify(Path(self.file.home) / self.file.continue_from)

    def _standing(self) -> Checkpoint | None:
        """The newest whole checkpoint of the stage; one that its guard ended by divergence may have its parent's."""
        return newest(self.file.folder) or self.resumed

    @property
    def steps_done(self) -> int:
        """Steps of the stage behind the policy as it is now."""
        return int(self.trainer.state.global_step) - self.file.first_step

    def replay(self, moments: Sequence[Sequence[PastGroup]]) -> None:
        """Tell the scheduler of groups sampled before the stage, oldest first."""
        self.sampler.replay(moments, before=self.file.first_batch)

    def record(self, record: StepRecord) -> None:
        """Spool one step's rollouts and draws."""
        own = StepRecord(record.step - self.file.first_batch, record.samples)
        size = self.file.trainer.stage.group_size
        draws = self.sampler.taken(record.step)
        rows: list[Record] = [
            *rollout_rows(self.owner, own, self.tasks, size),
            *draw_rows(self.owner, own.step, draws, self.tasks),
        ]
        self._write(own.step, "rollouts", rows)
        self.n_rollouts += len(own.samples)
        self.guard.add(record)

    def _write(self, step: int, part: str, rows: Sequence[Record]) -> None:
        """Spool on the main process; the others compute the same rows and keep none."""
        if self.trainer.accelerator.is_main_process:
            self.spool.write(step, part, rows)

    def note(self, logs: Mapping[str, Any]) -> None:
        """Spool one step's metrics."""
        step = max(0, self.steps_done - 1)
        self.spool.write(step, "metrics", metric_rows(self.owner, step, logs))

    def seal(self) -> Checkpoint:
        """Mark the checkpoint that TRL has just written as whole."""
        step = int(self.trainer.state.global_step)
        folder = self.file.folder / f"checkpoint-{step}"
        shutil.rmtree(folder / REFERENCE, ignore_errors=True)
        write_base(self.policy, folder)
        state = {**self.sampler.state(), "plan": self.plan_hash, "stage_id": self.file.stage_id}
        state["guard"] = self.guard.state()
        return seal(folder, step=step, state=state)

    def train(self) -> Trained:
        """Run the stage; one whose last step is already checkpointed, or that its guard ended, is returned as it is.

        One that diverges ends at its newest whole checkpoint with the guard's reason; under `watch_only`, or without
        such a checkpoint, it raises `Diverged`.
        """
        over = self.guard.reason is not None or (self.resumed is not None and self.resumed.step >= self.file.last_step)
        if not over:
            if self.rollouts is not None:
                self.rollouts.start()
            try:
                self.trainer.train(resume_from_checkpoint=str(self.resumed.folder) if self.resumed else None)
            except Diverged:
                if self._standing() is None or not self.guard.diverged(self.steps_done, self.trainer.state.global_step):
                    raise
            finally:
                self.sources.close()
        self.trainer.accelerator.wait_for_everyone()
        final = self._standing()
        if final is None:
            raise StageFailed(f"stage {self.file.stage_id} ended without a whole checkpoint in {self.file.folder}")
        dropped = self.rollouts.n_dropped * self.file.trainer.stage.group_size if self.rollouts else 0
        n_rollouts = self.n_rollouts + self.guard.n_rollouts + dropped
        return Trained(final, final.step - self.file.first_step, n_rollouts, self.guard.reason)


class _Diary(TrainerCallback):  # type: ignore[misc]
    """Spools metrics, reports progress and seals checkpoints."""

    def __init__(self, stage: Stage, progress: Progress | None) -> None:
        self._stage, self._progress = stage, progress

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        if not state.is_world_process_zero or not logs or "loss" not in logs:
            return
        self._stage.note(logs)
        if self._progress is not None:
            self._progress(self._stage.steps_done, logs)

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.is_world_process_zero:
            self._stage.seal()
