"""reasoning-gym's families through an adapter: re-seeded, and admitted only where their own scorer stands an audit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from synth.answers import asked
from synth.demonstrations import corrupted
from synth.evidence import Subject
from synth.family import Item
from synth.proposals import Generator, Proposal
from synth.seeds import stream
from synth.tasks import task_of
from warehouse.errors import UserError, unknown_name
from warehouse.records import Domain

VERSION = 1
SOURCE = "reasoning-gym"
LONGEST = 4000
"""Characters of the longest question taken."""


class Dataset(Protocol):
    """What the adapter uses of one of its data sets: items are seeded by `seed` plus place."""

    seed: int

    def __getitem__(self, place: int) -> dict[str, Any]: ...

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float: ...


def names() -> list[str]:
    """The data sets that reasoning-gym has; raises `UserError` where it is not installed."""
    try:
        from reasoning_gym.factory import DATASETS
    except ImportError:
        raise UserError("reasoning-gym is not installed; see: pip install 'gradatim[gym]'") from None
    return sorted(name for name in DATASETS if name != "composite")


def generator_of(name: str) -> Generator:
    """The generator that a data set is."""
    return Generator(f"gym_{name}", "adapter", str(VERSION), SOURCE)


def gym_proposals(name: str, *, n: int, seed: int) -> Iterator[Proposal]:
    """`n` attempts from the data set `name`; each item has a seed of its own, hashed from name, `seed` and place.

    Left to itself, item i of seed s is item i - 1 of seed s + 1. Raises `UserError` on an unknown name.
    """
    if name not in names():
        raise unknown_name("reasoning-gym data set", name, names(), "gradatim synth --list")
    import reasoning_gym

    data: Dataset = reasoning_gym.create_dataset(name, size=1, seed=0)
    for index in range(n):
        data.seed = stream(SOURCE, name, VERSION, seed, index).getrandbits(48)
        try:
            entry = data[0]
        except (ValueError, TypeError, IndexError, KeyError, ArithmeticError, RuntimeError) as error:
            yield Proposal(seed, index, 0, None, f"gym: {type(error).__name__}")
            continue
        yield _proposal(name, data, entry, seed, index)


def _proposal(name: str, data: Dataset, entry: dict[str, Any], seed: int, index: int) -> Proposal:
    question, answer = str(entry["question"]).strip(), entry["answer"]
    if not isinstance(answer, str) or not answer.strip() or "\n" in answer or len(question) > LONGEST:
        return Proposal(seed, index, 0, None, "gym: no answer of one line, or too long a question")
    kind = "integer" if re.fullmatch(r"-?\d+", answer) else "text"
    item = asked(question, answer, kind, audit=audit(data, entry))
    return Proposal(seed, index, 0, _subject(name, item, seed, index))


def _subject(name: str, item: Item, seed: int, index: int) -> Subject:
    params = {"version": VERSION, "seed": seed, "index": index, **item.params}
    task = task_of(item, domain=Domain.MATH, family=f"gym_{name}", level=0, params=params, source=SOURCE)
    return Subject(task, item)


def audit(data: Dataset, entry: Mapping[str, Any]) -> str:
    """What is wrong with the data set's own judgement of this item, or `sound`.

    Its scorer must give 1 to its own answer and less to wrong ones; an answer that is not a whole number must be
    judged by equality, else several may be right; a decimal may be a rounded answer.
    """
    answer, whole = str(entry["answer"]), dict(entry)
    try:
        if data.score_answer(answer, whole) != 1.0:
            return "rejects its own answer"
        rng = stream("audit", answer)
        wrong = [corrupted(answer, rng), f"{answer} {answer}", "", "0x"]
        if re.fullmatch(r"-?\d+", answer):
            wrong += [str(int(answer) + 1), str(int(answer) - 1)]
        if any(data.score_answer(other, whole) >= 1.0 for other in wrong if other != answer):
            return "accepts a wrong answer"
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, ArithmeticError, SyntaxError) as error:
        return f"scorer raises {type(error).__name__}"
    if re.fullmatch(r"-?\d+", answer):
        return "sound"
    if re.fullmatch(r"-?\d*\.\d+", answer):
        return "the answer may be rounded"
    return "sound" if _scores_by_equality(data) else "several answers may be right"


def _scores_by_equality(data: Dataset) -> bool:
    from reasoning_gym.dataset import ProceduralDataset

    return type(data).score_answer is ProceduralDataset.score_answer
