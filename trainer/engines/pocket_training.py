"""How the pocket writer and checker learn: one short supervised run, by Muon (arXiv 2502.16982) and AdamW."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from synth.demonstrations import demonstrations
from trainer.engines.config import LearnerConfig, WritingConfig
from trainer.engines.pocket_models import WRITER, fresh
from trainer.policies import LoadedPolicy
from trainer.sft import token_rows
from warehouse.records import content_hash

THREADS = 1
"""Two threads make models this small slower."""
WARMUP_STEPS = 10
DECAY_FROM = 0.5
"""Share of the steps after which the rates fall linearly to nothing."""


def lessons(name: str, config: WritingConfig, *, seed: int) -> list[tuple[str, str]]:
    """(prompt, completion) pairs for the model of that name, each model from a seed of its own.

    The writer learns to go on from a family's name with a question and its answer, and to answer a question; the
    checker only ever answers.
    """
    learner = config.writer if name == WRITER else config.checker
    weights = {family: dict.fromkeys(config.levels, 1.0) for family in config.families}
    own = int(content_hash("lessons", name, seed)[:8], 16)
    made = demonstrations(weights, seed=own, n=learner.n_lessons)
    if name != WRITER:
        return [(demo.prompt, demo.completion) for demo in made]
    openings = ((demo, f"{demo.family} ") for demo in made)
    return [(opening, f"{demo.prompt.removeprefix(opening)}{demo.completion}") for demo, opening in openings]


def taught(
    name: str, config: WritingConfig, *, seed: int, progress: Callable[[int, float], None] | None = None
) -> LoadedPolicy:
    """The model of that name after its lessons; the same arguments give the same weights.

    `progress(step, loss)` is called after every step.
    """
    learner = config.writer if name == WRITER else config.checker
    own = int(content_hash("pocket model", name, seed)[:8], 16)
    policy = fresh(name, own)
    learn(policy, lessons(name, config, seed=seed), learner, seed=own, progress=progress)
    return policy


def learn(
    policy: LoadedPolicy,
    pairs: Sequence[tuple[str, str]],
    config: LearnerConfig,
    *,
    seed: int,
    progress: Callable[[int, float], None] | None = None,
) -> float:
    """Trains `policy` in place on the completions of `pairs`; returns the last loss in nats a token.

    Rows are padded on the right and need no mask: under causal attention nothing looks at what comes after it.
    """
    torch.set_num_threads(THREADS)
    ids, labels, lengths = _rows(policy, pairs)
    rng = np.random.default_rng(seed)
    n_needed = config.n_steps * config.batch_size
    order = np.concatenate([rng.permutation(len(pairs)) for _ in range(-(-n_needed // len(pairs)))])
    model = policy.model.train()
    optimizers = _optimizers(model, config)
    schedules = [
        torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, config.n_steps))
        for optimizer in optimizers
    ]
    loss = torch.tensor(float("nan"))
    for step in range(config.n_steps):
        chosen = order[step * config.batch_size : (step + 1) * config.batch_size]
        width = int(lengths[chosen].max())
        wanted = labels[chosen, 1:width]
        logits = model(input_ids=ids[chosen, :width], use_cache=False).logits[:, :-1]
        kept = wanted != -100
        loss = torch.nn.functional.cross_entropy(logits[kept], wanted[kept])
        model.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer, schedule in zip(optimizers, schedules, strict=True):
            optimizer.step()
            schedule.step()
        if progress is not None:
            progress(step, loss.item())
    model.eval()
    return loss.item()


def _optimizers(model: torch.nn.Module, config: LearnerConfig) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of the blocks, AdamW for embeddings, output, norms and biases."""
    matrices: list[torch.nn.Parameter] = []
    others: list[torch.nn.Parameter] = []
    for name, parameter in model.named_parameters():
        outer = "embed" in name or "lm_head" in name
        (matrices if parameter.ndim == 2 and not outer else others).append(parameter)
    return [
        torch.optim.Muon(matrices, lr=config.matrix_rate, weight_decay=0.0),
        torch.optim.AdamW(others, lr=config.rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True),
    ]


def _rows(
    policy: LoadedPolicy, pairs: Sequence[tuple[str, str]]
) -> tuple[torch.Tensor, torch.Tensor, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Ids and labels [pairs, longest], labels -100 outside completions, and each row's length."""
    rows = token_rows(policy, pairs)
    lengths = np.array([len(prompt) + len(answer) for prompt, answer in rows])
    ids = torch.full((len(rows), int(lengths.max())), policy.tokenizer.pad_token_id, dtype=torch.long)
    labels = torch.full_like(ids, -100)
    for place, (prompt, answer) in enumerate(rows):
        ids[place, : lengths[place]] = torch.tensor(prompt + answer)
        labels[place, len(prompt) : lengths[place]] = torch.tensor(answer)
    return ids, labels, lengths


def _rate(step: int, n_steps: int) -> float:
    """Share of the peak rate: warm-up, constant, then a linear fall to nothing."""
    fallen = max(0.0, (step / n_steps - DECAY_FROM) / (1 - DECAY_FROM))
    return min(1.0, (step + 1) / WARMUP_STEPS) * (1 - fallen)
