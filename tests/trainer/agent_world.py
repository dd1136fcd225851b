"""Agent tasks small enough for tests, a policy that imitates scripts, and a tool that fails by chance."""

from __future__ import annotations

from collections.abc import Sequence

from synth.environments.makers import MAKERS
from synth.environments.snippets import Snippet
from synth.environments.tools import Infrastructure
from synth.graders import Judge
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Request
from warehouse.records import Split, Task

MAKER = MAKERS.get("snippet")


def snippets(judge: Judge, split: Split, n: int, *, levels: Sequence[int] = (1, 2, 3), seed: int = 7) -> list[Task]:
    """`n` admitted tasks of each level in one split."""
    made = []
    for level in levels:
        request = Request("snippet", level, (12 if split is Split.HELDOUT else 3) * n, seed)
        admission = Admission("test", judge, Novelty(), checks=MAKER.checks(judge.pool))
        batches = admit(MAKER.made(request, judge.pool), MAKER.generator, admission)
        made += [task for batch in batches for task in batch.accepted if task.split is split][:n]
    return made


class Broken(Snippet):
    """A snippet whose even inputs cannot be run: what they stand on has failed."""

    def run(self) -> str:
        if int(self._text[0][0]) % 2 == 0:
            raise Infrastructure("the machine is gone")
        return super().run()

    run.__tool__ = True  # type: ignore[attr-defined]
