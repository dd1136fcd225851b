"""The training half of an asynchronous stage: a queue of rollout groups with a bound on their age."""

from __future__ import annotations

import multiprocessing
import queue
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import TrainerCallback

from trainer.errors import RewardFailed, StageFailed
from trainer.sampler import Failure, Group, Request, SamplerSpec, save_weights, serve
from trainer.sampling import CurriculumSampler

GRACE_S = 10.0
"""Seconds that the sampling process gets to end by itself."""

KEPT = 3
"""Weight files kept: the sampling process may still be reading the one before the newest."""


class RolloutQueue:
    """Asks a sampling process for the groups of coming batches, and hands out those that are young enough.

    A group is as old as the optimizer steps between the weights that wrote it and those it trains. One older than
    `staleness` is dropped, counted and asked for again. Batches are asked for `ahead` of the one that trains.
    """

    def __init__(
        self,
        spec: SamplerSpec,
        *,
        draws: CurriculumSampler,
        encode: Callable[[Sequence[str]], list[list[int]]],
        last: int,
        folder: Path,
    ) -> None:
        sampling = spec.file.trainer.sampling
        self._spec, self._draws, self._encode, self._last = spec, draws, encode, last
        self._staleness, self._ahead = sampling.staleness, sampling.queue_batches or sampling.staleness
        self._folder = folder
        self._asked = -1
        self._ready: dict[int, dict[int, Group]] = {}
        context = multiprocessing.get_context("spawn")
        self._inbox: Any = context.Queue()
        self._outbox: Any = context.Queue()
        self._process = context.Process(target=serve, args=(spec, self._inbox, self._outbox), daemon=True)
        self.n_dropped = 0

    def start(self) -> None:
        """Start the sampling process; it waits for weights."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        self._process.start()

    def publish(self, model: torch.nn.Module, step: int) -> None:
        """Give the sampling process the weights after `step` optimizer steps; what it samples from now on has them."""
        self._inbox.put(save_weights(model, step, self._folder))
        for old in sorted(self._folder.glob("weights-*.safetensors"))[:-KEPT]:
            old.unlink()

    def take(self, batch: int, step: int) -> list[Group]:
        """The groups of generation batch `batch`, by slot, none older than the bound at optimizer step `step`.

        Raises `RewardFailed` or `StageFailed` with what ended the sampling process.
        """
        for number in range(max(batch, self._asked + 1), min(batch + self._ahead, self._last - 1) + 1):
            self._ask(number, range(len(self._draws.draws(number))))
            self._asked = number
        n_groups = len(self._draws.draws(batch))
        groups = self._ready.setdefault(batch, {})
        while True:
            old = [slot for slot, group in groups.items() if step - group.policy_step > self._staleness]
            for slot in old:
                del groups[slot]
            if old:
                self.n_dropped += len(old)
                self._ask(batch, old)
            if len(groups) == n_groups:
                return [group for _, group in sorted(self._ready.pop(batch).items())]
            self._receive()

    def _ask(self, batch: int, slots: Sequence[int]) -> None:
        draws = self._draws.draws(batch)
        positions = [draws[slot].position for slot in slots]
        prompts = self._encode([self._spec.tasks[position].prompt for position in positions])
        self._inbox.put([Request(batch, *rest) for rest in zip(slots, positions, prompts, strict=True)])

    def _receive(self) -> None:
        try:
            found = self._outbox.get(timeout=1.0)
        except queue.Empty:
            if not self._process.is_alive():
                raise StageFailed(f"the sampling process ended with exit code {self._process.exitcode}") from None
            return
        if isinstance(found, Failure):
            kind = RewardFailed if found.error == RewardFailed.__name__ else StageFailed
            raise kind(f"the sampling process ended: {found.error}: {found.message}")
        self._ready.setdefault(found.batch, {})[found.slot] = found

    def close(self) -> None:
        """End the sampling process and remove the weights that it read."""
        if self._process.pid is not None:
            self._inbox.put(None)
            self._process.join(GRACE_S)
            if self._process.is_alive():
                self._process.kill()
                self._process.join()
        for channel in (self._inbox, self._outbox):
            channel.cancel_join_thread()
            channel.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class Publisher(TrainerCallback):  # type: ignore[misc]
    """Publishes the weights before the first step and after every one."""

    def __init__(self, rollouts: RolloutQueue) -> None:
        self._rollouts = rollouts

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        self._rollouts.publish(model, state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        self._rollouts.publish(model, state.global_step)
