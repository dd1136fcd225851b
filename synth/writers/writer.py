"""A writer: an engine and a style; each reply that it was asked for is one attempt, whatever became of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from synth.answers import boxed
from synth.engines import Answered, Ask, Engine, Reply
from synth.evidence import Subject
from synth.family import Item
from synth.proposals import Generator, Proposal
from synth.seeds import stream
from synth.tasks import split_of, task_of
from synth.writers.screen import is_text, repeats_itself, screened
from synth.writers.style import Commission, Draft, Rejection, Style
from warehouse.errors import UserError
from warehouse.records import Domain, FinishReason, JsonValue, Task, TaskKind, content_hash

AT_ONCE = 64
"""Commissions that are handed to the engine together."""
LONGEST_REPLY = 40_000
"""Characters of a reply that is read."""
INFRASTRUCTURE = "infrastructure: "
"""How the reason of an attempt begins that the engine failed; it says nothing about a task."""


@dataclass(slots=True)
class Writer:
    """Has tasks written by `engine` in `style`; `repairs` counts what had to be mended, `n_read` the replies read."""

    engine: Engine
    style: Style
    n_read: int = 0
    repairs: Counter[str] = field(default_factory=Counter)

    @property
    def generator(self) -> Generator:
        """Who the attempts are by: the engine in this style, of the engine's lineage."""
        version = f"{self.style.version}.{self.engine.version}"
        return Generator(f"{self.engine.name}/{self.style.name}", "model", version, self.engine.lineage)

    def propose(
        self, commissions: Sequence[Commission], *, n: int = 1, seed: int = 0, start: int = 0
    ) -> Iterator[Proposal]:
        """`n` attempts for each commission, in order, from place `start` on; the engine is asked as they are taken.

        An engine that failed leaves attempts whose reason begins with `infrastructure`. Raises `UserError` for a
        commission that lacks what the style needs.
        """
        for commission in commissions:
            for need in self.style.needs:
                if not getattr(commission, need):
                    raise UserError(f"style '{self.style.name}' needs {need}; see: gradatim synth --list-styles")
        waiting, place = iter(commissions), start
        while chunk := list(islice(waiting, AT_ONCE)):
            asks = [self._ask(commission, n, seed, place + i * n) for i, commission in enumerate(chunk)]
            for commission, ask, answered in zip(chunk, asks, self.engine.answer(asks), strict=True):
                yield from self._proposals(commission, ask, answered, seed, place)
                place += n

    def _ask(self, commission: Commission, n: int, seed: int, place: int) -> Ask:
        ask = self.style.ask(commission)
        own = stream("write", self.style.name, self.style.version, seed, place, commission.seed).getrandbits(31)
        return replace(ask, n=n, seed=own)

    def _proposals(
        self, commission: Commission, ask: Ask, answered: Answered, seed: int, place: int
    ) -> Iterator[Proposal]:
        prompt_hash = content_hash("prompt", ask.system, ask.prompt)
        if answered.failure is not None:
            for k in range(ask.n):
                reason = f"{INFRASTRUCTURE}{answered.failure}"
                yield Proposal(seed, place + k, commission.level, None, reason, prompt_hash)
            return
        for k, reply in enumerate(answered.replies):
            made = self._read(reply, commission)
            subject = None
            if not isinstance(made, str):
                try:
                    subject = self._subject(made, commission, seed, place + k)
                except UserError:
                    made = "writer: tests that cannot be kept"
            yield Proposal(
                seed,
                place + k,
                commission.level,
                subject,
                made if isinstance(made, str) else None,
                prompt_hash,
                reply.n_tokens,
                answered.cost / ask.n,
            )

    def _read(self, reply: Reply, commission: Commission) -> Draft | str:
        """The draft in a reply, or why there is none."""
        self.n_read += 1
        if not is_text(reply.text):
            return "writer: not text"
        if repeats_itself(reply.text):
            return "writer: repeats itself"
        if len(reply.text) > LONGEST_REPLY:
            return "writer: too long"
        made = self.style.read(reply.text, commission)
        self.repairs.update(made.repairs)
        if isinstance(made, Rejection):
            return "writer: cut off" if reply.finish_reason is FinishReason.LENGTH else made.reason
        return screened(made) or made

    def _subject(self, draft: Draft, commission: Commission, seed: int, index: int) -> Subject:
        item = item_of(draft)
        parent = commission.parent
        params: dict[str, JsonValue] = {"version": self.style.version, "seed": seed, "index": index, **item.params}
        task = task_of(
            item,
            domain=self.style.domain,
            family=draft.family or commission.family or self.style.name,
            level=commission.level if draft.level is None else draft.level,
            params=params,
            source=self.engine.name,
            parents=(parent.task_id,) if parent else (),
            split=parent.split if parent else split_of(item.prompt),
        )
        return Subject(_rubric(task) if self.style.domain is Domain.RUBRIC else task, item)


def _rubric(task: Task) -> Task:
    """A task of the bucket that no program can verify; its criteria are part of what it is."""
    identity = content_hash("rubric", task.task_id, task.params.get("criteria"))
    return replace(task, task_id=identity, kind=TaskKind.NON_VERIFIABLE)


def item_of(draft: Draft) -> Item:
    """The item that a draft describes; a math task's answer is asked for in a box unless the draft says otherwise."""
    if draft.answer_kind == "program":
        return Item(
            prompt=draft.prompt,
            answer_kind="program",
            reference=draft.program or "",
            entry=draft.entry,
            hidden_tests=draft.tests,
            params=draft.params,
        )
    if draft.answer_kind == "rubric":
        return Item(prompt=draft.prompt, answer_kind="rubric", reference=draft.reference or "", params=draft.params)
    answer = draft.answer or ""
    bare = draft.params.get("answer_format") == "bare"
    return Item(
        prompt=draft.prompt,
        answer_kind=draft.answer_kind,
        reference=draft.reference or (answer if bare else boxed(answer)),
        gold=answer,
        params={"answer_format": "boxed", **draft.params},
    )
