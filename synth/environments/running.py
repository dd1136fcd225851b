"""Running agents: a policy that is a function plays episodes, each of which is judged and becomes a rollout."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from synth.environments.budget import Budget
from synth.environments.calls import Reader, json_call
from synth.environments.compliance import violations
from synth.environments.environment import ENVIRONMENTS
from synth.environments.episode import Episode, Turn
from synth.environments.tools import Tool
from synth.graders.judged import Judged, judged
from synth.sandbox import Pool
from warehouse.records import FinishReason, JsonValue, Judgement, Rollout, RolloutPurpose, Task, content_hash


class Reply(NamedTuple):
    """What a policy writes next, and what that took; tokens are estimated where they are not given."""

    text: str
    n_tokens: int | None = None
    latency_s: float = 0.0


Policy = Callable[[Sequence[Turn], Sequence[Tool]], Reply | str]
"""From the turns so far and the tools to the next message; it sees what a model would see."""

Agent = Callable[[Task], Policy]
"""What makes the policy of one episode. An honest agent does not look at the task, which holds what decides."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One finished episode and the word on it."""

    task: Task
    turns: tuple[Turn, ...]
    submission: str | None
    ended: str
    word: Judged
    n_tokens: int
    n_calls: int
    latency_s: float

    @property
    def passed(self) -> bool:
        """Whether the task was solved."""
        return self.word.judgement is Judgement.PASS

    @property
    def cause(self) -> str | None:
        """Why it was not solved, in the words of `rollouts.cause`."""
        if self.passed:
            return None
        if self.word.cheats:
            return f"cheat:{self.word.cheats[0]}"
        if self.ended.startswith("budget"):
            return self.ended
        return self.word.judgement.value.lower()


def begun(task: Task, pool: Pool, *, budget: Budget, clock: Callable[[], float], read: Reader = json_call) -> Episode:
    """An episode of a task's own environment, not yet reset."""
    kind = ENVIRONMENTS.get(str(task.params.get("environment")))
    return Episode(kind(pool), task, budget, clock, read)


def play(
    task: Task, policy: Policy, pool: Pool, *, budget: Budget, clock: Callable[[], float], read: Reader = json_call
) -> Trajectory:
    """One episode from reset to its end, judged."""
    episode = begun(task, pool, budget=budget, clock=clock, read=read)
    began = clock()
    try:
        episode.reset()
        while episode.ended is None:
            said = policy(episode.turns, episode.tools)
            reply = said if isinstance(said, Reply) else Reply(said)
            episode.step(reply.text, n_tokens=reply.n_tokens, latency_s=reply.latency_s)
    finally:
        episode.environment.close()
    return finished(episode, pool, latency_s=clock() - began)


def finished(episode: Episode, pool: Pool, *, latency_s: float) -> Trajectory:
    """The word on an episode that has ended: INFRA when what it stood on failed, NO_ANSWER when nothing was handed in.

    Rules of the task come before tests: a rollout that broke one is void.
    """
    turns = tuple(episode.turns)
    ended = episode.ended or "unfinished"
    if ended == "infra":
        word = judged(Judgement.INFRA, episode.detail)
    elif broken := violations(episode.task, turns):
        word = Judged(Judgement.CHEAT, 0.0, {"verifier": 0.0, "compliance": 0.0}, broken, ", ".join(broken))
    elif episode.submission is None:
        word = judged(Judgement.NO_ANSWER, ended)
    else:
        kind = ENVIRONMENTS.get(str(episode.task.params.get("environment")))
        word = kind.grade(episode.task, episode.submission, pool)
    tokens, calls = episode.tokens, episode.calls
    return Trajectory(episode.task, turns, episode.submission, ended, word, tokens, calls, latency_s)


def play_all(
    tasks: Sequence[Task], agent: Agent, pool: Pool, *, budget: Budget, clock: Callable[[], float], threads: int = 4
) -> list[Trajectory]:
    """Episodes of all tasks, in their order, several in flight."""
    with ThreadPoolExecutor(threads, thread_name_prefix="episodes") as workers:
        return list(workers.map(lambda task: play(task, agent(task), pool, budget=budget, clock=clock), tasks))


def rollout_of(
    one: Trajectory, *, policy_id: str, owner: str, sample: int = 0, slot: int = 0, protocol_hash: str | None = None
) -> Rollout:
    """The trajectory as a row; the completion is what was handed in."""
    parts: dict[str, JsonValue] = {**one.word.parts, "calls": one.n_calls}
    return Rollout(
        rollout_id=content_hash(owner, one.task.task_id, slot, sample),
        task_id=one.task.task_id,
        policy_id=policy_id,
        purpose=RolloutPurpose.EVAL,
        slot=slot,
        sample=sample,
        completion=one.submission or "",
        turns=one.turns,
        n_tokens=one.n_tokens,
        latency_s=one.latency_s,
        finish_reason=FinishReason.STOP if one.submission is not None else FinishReason.LENGTH,
        judgement=one.word.judgement,
        reward=one.word.reward,
        parts=parts,
        cheats=one.word.cheats,
        protocol_hash=protocol_hash,
        cause=one.cause,
    )


def called(name: str, /, **arguments: JsonValue) -> str:
    """A tool call as a message, in which no text of an argument can be taken for a tag around another call."""
    return json.dumps({"name": name, "arguments": arguments}).replace("<", "\\u003c")


def scripted(steps: Sequence[str | Mapping[str, JsonValue]]) -> Policy:
    """A policy that says what it was given, one message at each turn, and submits after the last."""

    def policy(turns: Sequence[Turn], tools: Sequence[Tool]) -> str:
        place = len(turns) - 1
        if place >= len(steps):
            return called("submit")
        step = steps[place]
        return step if isinstance(step, str) else json.dumps(step)

    return policy
