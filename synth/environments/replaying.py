"""A stored episode said again: the same messages in a fresh environment, which must answer as it did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from synth.environments.budget import Budget
from synth.environments.calls import Reader, json_call
from synth.environments.episode import Turn
from synth.environments.running import Trajectory, begun, finished
from synth.environments.terse import terse_call
from synth.environments.tools import ToolError
from synth.sandbox import Pool
from warehouse.records import JsonValue, Task

UNBOUNDED = Budget(calls=10_000, tokens=10**9, seconds=10**6, observation_characters=10**6)
SPENT = "\n[the budget of"
"""How an observation goes on at the end of a budget."""


def replayed(
    task: Task, turns: Sequence[Mapping[str, JsonValue]], pool: Pool, *, clock: Callable[[], float]
) -> Trajectory:
    """The episode that a stored one's messages make now, without a budget; where they end it ends."""
    said = [turn for turn in turns if turn.get("role") == "assistant"]
    episode = begun(task, pool, budget=UNBOUNDED, clock=clock, read=reader_of(said))
    began = clock()
    try:
        episode.reset()
        for turn in said:
            episode.step(str(turn["text"]), n_tokens=int(str(turn.get("tokens", 0))))
        episode.stop("messages")
    finally:
        episode.environment.close()
    return finished(episode, pool, latency_s=clock() - began)


def reader_of(turns: Sequence[Mapping[str, JsonValue]]) -> Reader:
    """The grammar that stored messages were read by: JSON unless one that was read as a call is none in it."""
    for turn in turns:
        if turn.get("tool_call") is not None:
            try:
                json_call(str(turn["text"]), ())
            except ToolError:
                return terse_call
            return json_call
    return json_call


def differences(stored: Sequence[Mapping[str, JsonValue]], now: Sequence[Turn]) -> list[int]:
    """The turns, by place, whose observation is another one now; what a spent budget added does not count."""
    heard = [[_heard(turn) for turn in turns] for turns in (stored, now)]
    longest = max(map(len, heard))
    padded = [[*each, *([None] * (longest - len(each)))] for each in heard]
    return [place for place, (before, after) in enumerate(zip(*padded, strict=True)) if before != after]


def _heard(turn: Mapping[str, JsonValue]) -> str:
    text = str(turn.get("observation", turn.get("text", "")))
    return "" if text.startswith(SPENT.lstrip()) else text.partition(SPENT)[0]
