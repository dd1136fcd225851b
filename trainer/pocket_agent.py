"""The start of policies that act: few scripted trajectories, honest ones and some that cheat, imitated by token."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import torch

from synth.environments import Budget
from synth.environments.gadgets import making as gadgets
from synth.environments.gadgets import scripts
from synth.environments.running import Policy, Reply, begun
from synth.environments.snippets import careful, cheating
from synth.environments.snippets import making as snippets
from synth.environments.snippets.faults import KINDS
from synth.environments.terse import GRAMMARS
from synth.sandbox import Pool
from synth.seeds import stream
from trainer.config import EpisodeConfig, SamplingConfig, WarmStartConfig
from trainer.dialogue import Dialogue
from trainer.policies import LoadedPolicy
from trainer.sft import Lesson, WarmStart, imitate
from warehouse.errors import UserError
from warehouse.records import Split, Task

EPISODES = EpisodeConfig(calls=9, tokens=60, observation_characters=200, grammar="terse")
SAMPLING = SamplingConfig(max_tokens=6, episodes=EPISODES)
"""How the pocket agent plays."""
TOOLS = SAMPLING.model_copy(update={"episodes": EPISODES.model_copy(update={"calls": 14, "tokens": 90})})
"""How the policy for pocket tool sets plays."""


class Course(NamedTuple):
    """What can be imitated of a family: its tasks by level, who plays them honestly, and who does not."""

    levels: Sequence[int]
    task: Callable[[random.Random, int], Task]
    honest: Callable[[], Policy]
    other: Callable[[random.Random], Policy]
    sampling: SamplingConfig = SAMPLING


def _snippet(name: str, rng: random.Random, level: int) -> Task:
    item = snippets.draft(rng, level, snippets.FAMILIES[name])
    return snippets.task_of_item(item, level=level, seed=0, index=0, name=name)


def _gadget(name: str, form: gadgets.Form, rng: random.Random, level: int) -> Task:
    return gadgets.task_of_draft(gadgets.draft(rng, level, form), name=name, level=level, seed=0, index=0)


COURSES: Mapping[str, Course] = {
    **{
        name: Course(KINDS[kind].levels, partial(_snippet, name), careful, lambda rng: cheating())
        for name, kind in snippets.FAMILIES.items()
    },
    **{
        name: Course(gadgets.LEVELS, partial(_gadget, name, form), scripts.careful, scripts.hasty, TOOLS)
        for name, form in gadgets.FORMS.items()
        if form.kind == "known"
    },
}
"""What is imitated of each family of agent tasks that a policy from scratch can learn."""


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


def scripted_lessons(
    policy: LoadedPolicy, config: WarmStartConfig, pool: Pool, *, seed: int, families: Sequence[str] = ("snippet",)
) -> list[Lesson]:
    """The trajectories of a warm start, each of a task of its own from the train split, hard levels rare.

    A function of its arguments alone. Raises `UserError` for a family that nobody has a script for.
    """
    if unknown := sorted(set(families) - set(COURSES)):
        raise UserError(
            f"nobody plays {', '.join(unknown)} by script; families to imitate: {', '.join(COURSES)}; "
            "see: [warm_start] n_steps = 0"
        )
    rng, made = stream("scripted", *families, snippets.VERSION, seed), list[Lesson]()
    while len(made) < config.n_scripts:
        course = COURSES[families[0] if len(families) == 1 else rng.choice(list(families))]
        n = len(course.levels)
        weights = (*config.level_weights, *[config.level_weights[-1]] * n)[:n]
        task = course.task(rng, rng.choices(list(course.levels), weights)[0])
        if task.split is Split.TRAIN:
            agent = course.other(rng) if rng.random() < config.cheat_rate else course.honest()
            made.append(lesson(policy, task, agent, pool, course.sampling))
    return made


def warm_started(
    policy: LoadedPolicy,
    config: WarmStartConfig,
    pool: Pool,
    *,
    seed: int,
    families: Sequence[str] = ("snippet",),
    progress: Callable[[int, float], None] | None = None,
) -> WarmStart:
    """`policy` trained in place on scripted trajectories of `families`; observations carry no loss."""
    lessons: Sequence[Lesson] = scripted_lessons(policy, config, pool, seed=seed, families=families)
    torch.set_num_threads(config.threads)
    return imitate(policy, lessons, config, seed=seed, progress=progress)
