"""Clusters of texts that ask the same thing, each around the text that is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from synth.dedup.embedder import Embedder
from synth.dedup.index import COSINE, NEAR, Index
from synth.dedup.sameness import Reason
from warehouse.errors import UserError


class Duplicate(NamedTuple):
    """One text left out: its index, the kept text it repeats, their likeness in [0, 1] and why it counts."""

    index: int  # type: ignore[assignment]
    kept: int
    similarity: float
    reason: Reason
    key: str | None = None
    kept_key: str | None = None


class Cluster(NamedTuple):
    """A kept text and the texts that repeat it."""

    kept: int
    members: tuple[Duplicate, ...]


@dataclass(frozen=True, slots=True)
class Deduplicated:
    """What to keep and what repeats it; iterating gives the clusters, kept texts in order."""

    kept: tuple[int, ...]
    duplicates: tuple[Duplicate, ...]

    @property
    def clusters(self) -> tuple[Cluster, ...]:
        """One cluster a kept text, with no members where nothing repeats it."""
        members: dict[int, list[Duplicate]] = {kept: [] for kept in self.kept}
        for duplicate in self.duplicates:
            members[duplicate.kept].append(duplicate)
        return tuple(Cluster(kept, tuple(found)) for kept, found in members.items())

    def __iter__(self) -> Iterator[Cluster]:
        return iter(self.clusters)

    def __len__(self) -> int:
        return len(self.kept)


def deduplicate(
    texts: Sequence[str],
    *,
    keys: Sequence[str] | None = None,
    golds: Sequence[str | None] | None = None,
    near: float = NEAR,
    cosine: float = COSINE,
    semantic: Embedder | None = None,
) -> Deduplicated:
    """Which of `texts` to keep, and for each other one the kept text it repeats, how alike and why.

    The first of several alike texts is kept. Numbers, literals, negations, operators and opposite words are
    compared exactly, so a changed quantity is a new task; wording counts as the same from an overlap of `near`,
    or, with an embedder as `semantic`, from a cosine of `cosine`. `keys` name the texts in the answer; tasks with
    different `golds` are never merged unless their texts are identical. Raises `UserError` when `keys` or `golds`
    are not one a text or a threshold is outside (0, 1].

    >>> done = deduplicate(["What is the sum of 2, 3 and 4?", "what is  the SUM of 2, 3 and 4?"])
    >>> done.kept, done.duplicates[0][:4]
    ((0,), (1, 0, 1.0, <Reason.EXACT: 'exact'>))
    """
    if keys is not None and len(keys) != len(texts):
        raise UserError(f"{len(keys)} keys for {len(texts)} texts, must be one each; see: synth.dedup")
    matches = Index(near=near, cosine=cosine, semantic=semantic).add_many(texts, golds=golds)
    kept = tuple(number for number, match in enumerate(matches) if match is None)
    duplicates = tuple(
        Duplicate(
            number, match.kept, match.similarity, match.reason,
            None if keys is None else keys[number], None if keys is None else keys[match.kept],
        )
        for number, match in enumerate(matches)
        if match is not None
    )  # fmt: skip
    return Deduplicated(kept, duplicates)
