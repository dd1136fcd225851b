"""Program games: a proposer's texts become tasks by evidence, a solver plays them, and learnability is the reward."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import torch

from synth.environments.makers import MAKERS
from synth.environments.riddles import proposing as riddles
from synth.environments.snippets import proposing as repairs
from synth.environments.snippets.proposing import GENERATOR, learnability
from synth.graders import Judge, Judged
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Proposal
from synth.sandbox import Pool
from trainer.episodes import Player
from trainer.seeding import step_seed
from warehouse.records import Domain, Judgement, Split, Task, content_hash


class Reads(Protocol):
    """What reads a proposer's text as the attempt that it is."""

    def __call__(self, text: str, *, seed: int, index: int) -> Proposal: ...


class Game(NamedTuple):
    """What is proposed: whose evidence admits it, how a text is read, and what is asked of a proposer by level."""

    maker: str
    read: Reads
    prompt: Callable[[int], str]


GAMES: Mapping[str, Game] = {
    "repair": Game("snippet", repairs.proposed, repairs.prompt),
    "riddle": Game("riddle", riddles.proposed, riddles.prompt),
}
"""Broken programs to repair; questions on programs: deduce an output, abduce an input, induce the program."""


class Proposals:
    """Judges what a proposer writes; in a stage it stands where any judge does.

    A text that is no task, that its evidence refuses or that was proposed before is WRONG and worth nothing. The
    others are played `n` times by the solver and worth 4 p (1 - p) of its solve rate p, PASS where that is above 0.
    `accepted` are the tasks admitted so far, `refused` the reasons of the others, `n_episodes` what the solver played.
    `known` were proposed earlier. Raises `KeyError` for a game that there is not.
    """

    each_time = True
    """A text said again is another proposal, and refused: no judgement may be kept for it."""

    def __init__(
        self,
        judge: Judge,
        solver: Player,
        *,
        game: str = "repair",
        n: int = 8,
        seed: int = 0,
        known: Sequence[Task] = (),
    ) -> None:
        self._solver, self._n, self._seed = solver, n, seed
        self._judge, self._game = judge, GAMES[game]
        maker = MAKERS.get(self._game.maker)
        novelty = Novelty(known, exact=lambda task: task.task_id)
        self._admission = Admission("selfplay", judge, novelty, checks=maker.checks(judge.pool))
        self._n_judged = self.n_episodes = 0
        self.accepted: list[Task] = []
        self.refused: dict[str, int] = {}

    @property
    def pool(self) -> Pool:
        """The sandbox behind the judge."""
        return self._judge.pool

    def judge(
        self, tasks: Sequence[Task], completions: Sequence[str], *, truncated: Sequence[bool] | None = None
    ) -> list[Judged]:
        """The word on each text, in order."""
        first = self._n_judged
        self._n_judged += len(completions)
        attempts = [self._game.read(text, seed=self._seed, index=first + i) for i, text in enumerate(completions)]
        fresh: dict[int, Task] = {}
        for batch in admit(attempts, GENERATOR, self._admission):
            fresh |= {int(str(task.params["index"])): task for task in batch.accepted}
            for reason, n in batch.rejected.items():
                self.refused[reason] = self.refused.get(reason, 0) + n
        self.accepted += fresh.values()
        solved = self._solved(list(fresh.values()))
        return [self._word(fresh.get(first + i), solved) for i in range(len(completions))]

    def _solved(self, tasks: Sequence[Task]) -> Mapping[str, tuple[int, int]]:
        """Decided episodes and solved ones of each task."""
        generator = torch.Generator().manual_seed(step_seed(self._seed, self._n_judged))
        self.n_episodes += len(tasks) * self._n
        played = self._solver.play([task for task in tasks for _ in range(self._n)], generator=generator)
        found = {}
        for place, task in enumerate(tasks):
            own = [one.trajectory.word.judgement for one in played[place * self._n : (place + 1) * self._n]]
            decided = [word for word in own if word.decided]
            found[task.task_id] = (len(decided), sum(word is Judgement.PASS for word in decided))
        return found

    def _word(self, task: Task | None, solved: Mapping[str, tuple[int, int]]) -> Judged:
        if task is None:
            return Judged(Judgement.WRONG, 0.0, {"verifier": 0.0, "valid": 0.0}, (), "no new task")
        n, c = solved[task.task_id]
        if n == 0:
            return Judged(Judgement.INFRA, None, {"valid": 1.0}, (), "no episode of the solver was decided")
        worth = learnability(n, c)
        parts = {"verifier": float(worth > 0), "valid": 1.0, "solve_rate": c / n}
        return Judged(Judgement.PASS if worth > 0 else Judgement.WRONG, worth, parts)


def asked(levels: Sequence[int], game: str = "repair") -> list[Task]:
    """What a proposer is asked to write, one task a level."""
    own = GAMES[game]
    return [
        Task(
            task_id=content_hash("propose", own.maker, level), domain=Domain.MATH, family="propose", level=level,
            params={}, prompt=own.prompt(level), answer_kind="proposal", split=Split.TRAIN,
        )
        for level in levels
    ]  # fmt: skip
