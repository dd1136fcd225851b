"""The order of training: a lazy sampler that a curriculum scheduler drives, one generation batch behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from torch.utils.data import Sampler

from curriculum.schedulers import Draw, Group, Scheduler
from warehouse.records import JsonValue

UNSELECTED = frozenset({"explore", "uniform", "probe"})
"""Reasons of draws that did not favour any pass rate."""


class PastGroup(NamedTuple):
    """A group sampled before the stage: the task's position, decided rollouts, passes, and why it was drawn."""

    position: int
    n: int
    c: int
    reason: str


class CurriculumSampler(Sampler[int]):
    """Yields pool positions: each drawn position `group_size` times, groups whole, batches in order of steps.

    Step t is drawn when the loader asks for it, which is just before step t - 1 trains: what the scheduler
    knows then are the groups up to step t - 2. After the last step one more batch is drawn, so that a
    campaign in several stages draws what one long stage would; `state` carries it over.
    Every process of a distributed stage holds the same sampler and must `observe` the same groups.
    """

    def __init__(
        self, scheduler: Scheduler, *, prompts_per_step: int, group_size: int, repeat: int, first: int, last: int
    ) -> None:
        self._scheduler = scheduler
        self._prompts, self._group_size, self._repeat = prompts_per_step, group_size, repeat
        self._first, self._last = first, last
        self._drawn: dict[int, list[Draw]] = {}
        self._seen: set[int] = set()
        self._newest: tuple[int, list[Draw]] = (-1, [])

    def __len__(self) -> int:
        """Indices of the whole campaign up to `last`: the trainer counts its steps from the campaign's start."""
        return self._last * self._prompts * self._group_size * self._repeat

    def __iter__(self) -> Iterator[int]:
        for step in range(self._first, self._last):
            positions = [draw.position for draw in self.draws(step) for _ in range(self._group_size)]
            for _ in range(self._repeat):
                yield from positions
        self.draws(self._last)

    def draws(self, step: int) -> list[Draw]:
        """The draws of `step`, made now if they were not yet."""
        if step not in self._drawn:
            self._drawn[step] = self._scheduler.draw(self._prompts, step)
        return self._drawn[step]

    def observe(self, outcomes: Sequence[tuple[int, int, int]], step: int) -> None:
        """Tell the scheduler what became of `step`, as (position, n decided, c passed), and forget its draws.

        A task's first group and exploration draws count as unselected.
        """
        self._newest = (step, self._drawn.pop(step, []))
        reasons = [draw.reason for draw in self._newest[1]] or ["probe"] * len(outcomes)
        self._tell([PastGroup(*outcome, why) for outcome, why in zip(outcomes, reasons, strict=True)], step)

    def replay(self, moments: Sequence[Sequence[PastGroup]], *, before: int) -> None:
        """Tell the scheduler of earlier groups, oldest first, as if sampled in the steps up to `before`."""
        for ago, groups in zip(range(len(moments), 0, -1), moments, strict=True):
            self._tell(groups, max(0, before - ago))

    def _tell(self, groups: Sequence[PastGroup], step: int) -> None:
        told = [
            Group(g.position, g.n, g.c, selected=g.position in self._seen and g.reason not in UNSELECTED)
            for g in groups
        ]
        self._seen.update(g.position for g in groups)
        self._scheduler.observe(told, step)

    def taken(self, step: int) -> list[Draw]:
        """The draws of the step observed last; empty for any other."""
        return self._newest[1] if self._newest[0] == step else []

    def state(self) -> dict[str, JsonValue]:
        """The scheduler's state, the batches drawn ahead of training and the tasks that had a group."""
        ahead: list[JsonValue] = [[step, *draw] for step, draws in self._drawn.items() for draw in draws]
        return {"scheduler": self._scheduler.state(), "ahead": ahead, "seen": sorted(self._seen)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from what `state` returned."""
        self._scheduler.restore(state["scheduler"])
        self._seen = {int(position) for position in state["seen"]}
        self._drawn = {}
        for step, position, p_mixed, score, reason in state["ahead"]:
            self._drawn.setdefault(int(step), []).append(Draw(int(position), float(p_mixed), float(score), reason))
