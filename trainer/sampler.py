"""The sampling half of an asynchronous stage: a process that samples and grades groups with the newest weights."""

from __future__ import annotations

import os
import queue
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import torch
from safetensors.torch import load_file, save_file

from synth.graders import Judged
from trainer.lora import adapted
from trainer.policies import LoadedPolicy, load
from trainer.rewards import JudgeLike, TaskReward, reward_of
from trainer.rollout import Tokens, decode
from trainer.seeding import step_seed
from trainer.served import ServedPolicy
from trainer.stagefile import StageFile
from warehouse.records import Task

JudgeMaker = Callable[[], AbstractContextManager[JudgeLike]]
"""Makes the judge within the sampling process; a function or class that can be pickled."""

IDLE_S = 1.0
"""Seconds between looks at whether the trainer still lives."""


class Request(NamedTuple):
    """One group to sample: the generation batch and slot it is for, the task's place, and the prompt's tokens."""

    batch: int
    slot: int
    position: int
    prompt_ids: list[int]


class Weights(NamedTuple):
    """Trainable weights as they were after `step` optimizer steps, in a file."""

    step: int
    path: Path


class Group(NamedTuple):
    """One sampled and graded group; `policy_step` is the version of the weights that wrote it."""

    batch: int
    slot: int
    position: int
    policy_step: int
    rows: list[Tokens]
    words: list[Judged]
    latency_s: float


class Failure(NamedTuple):
    """Why the sampling process ended."""

    error: str
    message: str


@dataclass(frozen=True)
class SamplerSpec:
    """What the sampling process needs to know at its start."""

    file: StageFile
    tasks: Sequence[Task]
    make_judge: JudgeMaker
    threads: int = 1


def save_weights(model: torch.nn.Module, step: int, folder: Path) -> Weights:
    """Write the trainable weights of `model` below `folder`, whole or not at all."""
    path, draft = folder / f"weights-{step:08d}.safetensors", folder / "weights.tmp"
    own = {name: value.detach().contiguous() for name, value in model.named_parameters() if value.requires_grad}
    save_file(own, draft)
    os.replace(draft, path)
    return Weights(step, path)


def load_weights(model: torch.nn.Module, weights: Weights) -> None:
    """Put saved weights in the place of the model's own."""
    own = dict(model.named_parameters())
    with torch.no_grad():
        for name, value in load_file(weights.path).items():
            own[name].copy_(value)


def serve(spec: SamplerSpec, inbox: Any, outbox: Any) -> None:
    """Sample what is asked for until `None` comes or the trainer is gone; a failure is the last thing sent."""
    try:
        _serve(spec, inbox, outbox)
    except Exception as error:
        outbox.put(Failure(type(error).__name__, str(error)))


def _serve(spec: SamplerSpec, inbox: Any, outbox: Any) -> None:
    trainer = os.getppid()
    torch.set_num_threads(spec.threads)
    file, sampling = spec.file, spec.file.trainer.sampling
    policy = load(file.policy, file.home)
    if file.trainer.policy.lora is not None:
        policy = adapted(policy, file.trainer.policy.lora, path=file.policy, seed=file.seed)
    served = ServedPolicy(sampling.server, file.spool / "weights") if sampling.server else None
    waiting: deque[Request] = deque()
    newest: Weights | None = None
    loaded: Weights | None = None
    how: dict[str, Any] = {"n": file.trainer.stage.group_size, "temperature": sampling.temperature}
    how |= {"max_tokens": sampling.max_tokens}
    with spec.make_judge() as judge, ThreadPoolExecutor(sampling.grading_threads) as graders:
        reward = reward_of(file, spec.tasks, judge, policy.lineage)
        while os.getppid() == trainer:
            try:
                message = inbox.get(timeout=0 if waiting and newest else IDLE_S)
            except queue.Empty:
                message = ()
            if message is None:
                return
            if isinstance(message, Weights):
                newest = message
                continue
            waiting.extend(message)
            if message or not waiting or newest is None:
                continue
            if newest is not loaded:
                try:
                    load_weights(policy.model, newest)
                except FileNotFoundError:  # overtaken: newer weights are in the inbox
                    continue
                if served is not None:
                    served.publish(policy.model)
                loaded = newest
            asked = _one_batch(waiting)
            began = perf_counter()
            prompts, seed = [one.prompt_ids for one in asked], step_seed(file.seed, asked[0].batch, newest.step + 1)
            if served is not None:
                rows = served.decode(prompts, seed=seed, end_ids=policy.end_ids, **how)
            else:
                generator = torch.Generator().manual_seed(seed)
                pad = policy.tokenizer.pad_token_id
                rows = decode(policy.model, prompts, end_ids=policy.end_ids, pad_id=pad, generator=generator, **how)
            graded = graders.submit(_grade, reward, policy, asked, rows, newest.step, perf_counter() - began, outbox)
            graded.add_done_callback(lambda done: _tell(done, outbox))


def _one_batch(waiting: deque[Request]) -> list[Request]:
    """The requests at the head of the queue that are for one generation batch."""
    asked = [waiting.popleft()]
    while waiting and waiting[0].batch == asked[0].batch:
        asked.append(waiting.popleft())
    return asked


def _grade(
    reward: TaskReward,
    policy: LoadedPolicy,
    asked: Sequence[Request],
    rows: Sequence[Tokens],
    policy_step: int,
    latency_s: float,
    outbox: Any,
) -> None:
    n = len(rows) // len(asked)
    words = reward.words(
        policy.tokenizer.batch_decode([row.ids for row in rows], skip_special_tokens=True),
        [request.position for request in asked for _ in range(n)],
        finished=[row.finished for row in rows],
        completion_ids=[row.ids for row in rows],
        latency_s=[latency_s] * len(rows),
    )
    for place, request in enumerate(asked):
        own = slice(place * n, place * n + n)
        batch, slot, position, _ = request
        outbox.put(Group(batch, slot, position, policy_step, list(rows[own]), words[own], latency_s))


def _tell(done: Future[None], outbox: Any) -> None:
    error = done.exception()
    if error is not None:
        outbox.put(Failure(type(error).__name__, str(error)))
