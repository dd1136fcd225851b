"""One worker: a zygote for each profile and hash seed, replaced when it fails."""

from __future__ import annotations

from collections import OrderedDict

from synth.sandbox.case import Test
from synth.sandbox.errors import WorkerLost
from synth.sandbox.farside import Backend, FarSide
from synth.sandbox.judging import Question, Seen, Sight, look
from synth.sandbox.limits import Limits
from warehouse.records import Judgement

MOST_ZYGOTES = 4
"""Zygotes that a worker keeps warm; the one unused for longest is ended for a fifth."""

_HONEST = Question("def f(x):\n    return x + 1\n", (Test(args=(1,), expected=2),), "f", False, Limits(wall_s=20))


class Worker:
    """Runs one question at a time, best by a thread that is kept on `processors`."""

    def __init__(self, backend: Backend, processors: frozenset[int]) -> None:
        self.processors = processors
        self._backend = backend
        self._zygotes: OrderedDict[tuple[str, int, int], FarSide] = OrderedDict()

    def look(self, question: Question, *, hash_seed: int, seed: int) -> Sight:
        """What was seen of the question's program.

        A zygote that fails is replaced and the question put again. When it fails on this program twice while
        an honest one passes, the program is what breaks it: `CRASH`. When the honest one fails too, the
        fault is ours: `INFRA`.
        """
        for _ in range(2):
            try:
                return self._once(question, hash_seed, seed)
            except WorkerLost as lost:
                reason = str(lost)
                self._drop(question.limits, hash_seed)
        try:
            honest = self._once(_HONEST, hash_seed, seed).seen[-1].verdict is Judgement.PASS
        except WorkerLost as lost:
            honest, reason = False, str(lost)
            self._drop(_HONEST.limits, hash_seed)
        verdict = Judgement.CRASH if honest else Judgement.INFRA
        return Sight([Seen(verdict, reason)], 0.0, True)

    def _once(self, question: Question, hash_seed: int, seed: int) -> Sight:
        return look(self._zygote(question.limits, hash_seed), question, seed)

    def _zygote(self, limits: Limits, hash_seed: int) -> FarSide:
        key = (limits.profile, limits.work_mb, hash_seed)
        if key not in self._zygotes:
            while len(self._zygotes) >= MOST_ZYGOTES:
                self._zygotes.popitem(last=False)[1].close()
            self._zygotes[key] = FarSide(self._backend, limits, hash_seed)
        self._zygotes.move_to_end(key)
        return self._zygotes[key]

    def _drop(self, limits: Limits, hash_seed: int) -> None:
        lost = self._zygotes.pop((limits.profile, limits.work_mb, hash_seed), None)
        if lost is not None:
            lost.close()

    def close(self) -> None:
        """Ends every zygote."""
        while self._zygotes:
            self._zygotes.popitem()[1].close()
