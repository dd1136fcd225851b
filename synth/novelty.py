"""Whether a task is new: by its prompt, by its wording or meaning, and against benchmarks that must stay unseen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from synth.dedup import Embedder, Index
from warehouse.records import Task, content_hash


class Repeat(NamedTuple):
    """Why a task is not new: the task kept in its place, how alike, and the reason."""

    kept: str | None
    similarity: float
    reason: str


class Novelty:
    """The prompts accepted so far.

    Exact repeats are found for every task, by `exact`, which is its prompt unless it is said otherwise. Wording and
    meaning are compared (`near=True`) for tasks whose text was not made by a template of our own, where a changed
    letter is a new task.
    """

    def __init__(
        self,
        known: Iterable[Task] = (),
        *,
        near: bool = False,
        semantic: Embedder | None = None,
        exact: Callable[[Task], str] = lambda task: task.prompt,
    ) -> None:
        self._exact: dict[str, str] = {}
        self._text = exact
        self._recipes: dict[str, str] = {}
        self._index = Index(semantic=semantic) if near else None
        self._ids: list[str] = []
        self.add_all(known)

    def add_all(self, tasks: Iterable[Task]) -> None:
        """Takes tasks as accepted without asking whether they are new."""
        fresh = []
        for task in tasks:
            self._recipes[recipe(task)] = task.task_id
            if self._exact.setdefault(self._text(task), task.task_id) == task.task_id:
                fresh.append(task)
        if self._index is not None and fresh:
            self._ids += [task.task_id for task in fresh]
            self._index.add_many([task.prompt for task in fresh], golds=[task.gold for task in fresh])

    def seen(self, task: Task) -> Repeat | None:
        """The accepted task with the same text; none for a task that is itself, made again from its recipe."""
        kept = self._exact.get(self._text(task))
        if kept is None or self._recipes.get(recipe(task)) == task.task_id:
            return None
        return Repeat(kept, 1.0, "duplicate: exact")

    def add(self, tasks: Sequence[Task]) -> list[Repeat | None]:
        """Accepts each task that is new in wording and meaning; the others get what they repeat."""
        found: list[Repeat | None] = [None] * len(tasks)
        new = [i for i, task in enumerate(tasks) if self._recipes.get(recipe(task)) != task.task_id]
        if self._index is not None and new:
            self._ids += [tasks[i].task_id for i in new]
            matches = self._index.add_many([tasks[i].prompt for i in new], golds=[tasks[i].gold for i in new])
            for i, match in zip(new, matches, strict=True):
                if match is not None:
                    kept = self._ids[match.kept]
                    found[i] = Repeat(kept, min(1.0, match.similarity), f"duplicate: {match.reason}")
        for i in new:
            if found[i] is None:
                self._exact.setdefault(self._text(tasks[i]), tasks[i].task_id)
                self._recipes[recipe(tasks[i])] = tasks[i].task_id
        return found


def recipe(task: Task) -> str:
    """Identity of how a task was made, apart from what it says."""
    params: Mapping[str, object] = task.params
    return content_hash(
        task.family, task.source, task.level, *(str(params.get(key)) for key in ("version", "seed", "index"))
    )
