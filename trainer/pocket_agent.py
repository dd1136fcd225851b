"""The pocket agent's start: few scripted trajectories, honest ones and some that cheat, imitated token by token."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import torch

from synth.environments import Budget
from synth.environments.running import Policy, Reply, begun
from synth.environments.snippets import careful, cheating, draft
from synth.environments.snippets.making import LEVELS, NAME, VERSION
from synth.environments.terse import GRAMMARS
from synth.sandbox import Pool
from synth.seeds import stream
from synth.tasks import task_of
from trainer.config import EpisodeConfig, SamplingConfig, WarmStartConfig
from trainer.dialogue import Dialogue
from trainer.policies import LoadedPolicy
from trainer.sft import Lesson, WarmStart, imitate
from warehouse.records import Domain, Split, Task

EPISODES = EpisodeConfig(calls=9, tokens=60, observation_characters=200, grammar="terse")
SAMPLING = SamplingConfig(max_tokens=6, episodes=EPISODES)
"""How the pocket agent plays."""


def lesson(policy: LoadedPolicy, task: Task, agent: Policy, pool: Pool, sampling: SamplingConfig) -> Lesson:
    """One episode of a scripted agent as the tokens that `policy` would have seen and written."""
    config = sampling.episodes or EpisodeConfig()
    dialogue, end = Dialogue(policy, config.grammar), policy.tokenizer.eos_token_id
    budget = Budget(config.calls, config.tokens, config.seconds, config.observation_characters)
    episode = begun(task, pool, budget=budget, clock=time.monotonic, read=GRAMMARS[config.grammar])
    ids = dialogue.opening(episode.reset().text, episode.tools)
    mask = [0] * len(ids)
    while episode.ended is None:
        said = agent(episode.turns, episode.tools)
        text = said.text if isinstance(said, Reply) else said
        own = [*policy.tokenizer(text, add_special_tokens=False)["input_ids"], end]
        seen = episode.step(text, n_tokens=len(own))
        heard = [] if seen.done else dialogue.heard(seen.text, ended=True)
        ids, mask = [*ids, *own, *heard], [*mask, *([1] * len(own)), *([0] * len(heard))]
    episode.environment.close()
    return Lesson(ids, mask)


def scripted_lessons(policy: LoadedPolicy, config: WarmStartConfig, pool: Pool, *, seed: int) -> list[Lesson]:
    """The trajectories of a warm start, each of a task of its own from the train split, many faults rare.

    A function of its arguments alone.
    """
    weights = (*config.level_weights, *[config.level_weights[-1]] * len(LEVELS))[: len(LEVELS)]
    rng, made = stream("scripted", NAME, VERSION, seed), list[Lesson]()
    while len(made) < config.n_scripts:
        level = rng.choices(list(LEVELS), weights)[0]
        task = task_of(draft(rng, level), domain=Domain.AGENT, family=NAME, level=level, params={"environment": NAME})
        if task.split is Split.TRAIN:
            agent = cheating() if rng.random() < config.cheat_rate else careful()
            made.append(lesson(policy, task, agent, pool, SAMPLING))
    return made


def warm_started(
    policy: LoadedPolicy,
    config: WarmStartConfig,
    pool: Pool,
    *,
    seed: int,
    progress: Callable[[int, float], None] | None = None,
) -> WarmStart:
    """`policy` trained in place on scripted trajectories; observations carry no loss."""
    lessons: Sequence[Lesson] = scripted_lessons(policy, config, pool, seed=seed)
    torch.set_num_threads(config.threads)
    return imitate(policy, lessons, config, seed=seed, progress=progress)
