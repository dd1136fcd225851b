"""A corpus as the pipeline takes it: its source row, its generator, and one proposal for each row."""

from __future__ import annotations

import importlib
import pkgutil
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from synth.evidence import Subject
from synth.family import Item
from synth.importers.hub import HubCorpus, read_hub
from synth.importers.reading import Raw, Row, read_rows
from synth.proposals import Generator, Proposal
from synth.registry import Registry, defining_file
from synth.sandbox import dump_tests
from synth.tasks import task_of
from warehouse.errors import UserError
from warehouse.records import Domain, JsonValue, Source, content_hash

N_LEVELS = 5
"""Levels of an imported corpus: quantiles of the length of the prompt."""
LONGEST = 400_000
"""Characters of a prompt, which some policy could read."""


class Unfit(Exception):
    """A row from which no task can be made; the message is the reason for the funnel."""


def text_of(row: Row, name: str, *, default: str | None = None) -> str:
    """The text in a field; raises `Unfit` for what is none. A field that is null or not there is `default`, if any."""
    value = row.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise Unfit(f"{name} is {'null' if value is None else type(value).__name__}, must be a text")
    return value


@dataclass(frozen=True, slots=True)
class Importer:
    """How rows of one corpus become items. `item` raises `Unfit` for a row that can make no task."""

    name: str
    version: int
    licence: str
    fields: tuple[str, ...]
    item: Callable[[Row], Item]
    hub: HubCorpus | None = None
    others: tuple[tuple[str, ...], ...] = ()
    """Other sets of fields that a row may have instead."""
    optional: tuple[str, ...] | None = None
    """Fields that are read beside `fields`; none when any may come along."""
    meant: Mapping[str, str] = field(default_factory=dict)
    """Names that people give to fields, and the right ones."""

    @property
    def needs(self) -> str:
        """The fields of a row, as people are told."""
        sets = " or ".join(", ".join(fields) for fields in (self.fields, *self.others))
        return sets + (f" [{', '.join(self.optional)}]" if self.optional else "")

    def lacks(self, row: Row) -> list[str]:
        """Fields that a row lacks; none when it has one of the sets whole."""
        lacking = [[name for name in fields if name not in row] for fields in (self.fields, *self.others)]
        return min(lacking, key=len)

    def likely(self, key: str) -> str | None:
        """The field that an unknown key most likely is."""
        known = (*self.fields, *(self.optional or ()))
        return self.meant.get(key.lower()) or next(iter(get_close_matches(key.lower(), known, n=1, cutoff=0.75)), None)

    def read(self, path: Path | str | None = None, *, source: str | None = None, limit: int | None = None) -> Corpus:
        """The corpus at `path`, or from the hub when there is no path; raises `UserError` when neither can be read.

        `source` names it when the importer's own name does not say what it is.
        """
        if path is not None:
            raw = read_rows(path, limit=limit)
        elif self.hub is not None:
            raw = read_hub(self.hub, limit=limit)
        else:
            raise UserError(f"importer '{self.name}' needs a file; give --path FILE; see: gradatim import --help")
        return Corpus(self, raw, source or self.name)


class Corpus:
    """The rows of a corpus up to the first that cannot be read; `error` says what ended the reading, if anything."""

    def __init__(self, importer: Importer, raw: Raw, name: str) -> None:
        self._importer, self._raw = importer, raw
        self.name = name
        self.generator = Generator(name, "imported", str(importer.version), f"corpus:{name}")
        self.source = Source(
            source=name,
            revision=raw.sha256[:16],
            licence=importer.licence,
            n_rows=len(raw.rows),
            sha256=raw.sha256,
        )

    @property
    def n_repeated(self) -> int:
        """Rows that say exactly what an earlier row said."""
        return len(self._raw.rows) - len({content_hash(row) for _, row in self._raw.rows})

    @property
    def unknown_keys(self) -> dict[str, int]:
        """Keys that the importer does not read, with the number of rows that have each."""
        if self._importer.optional is None:
            return {}
        known = {*self._importer.fields, *self._importer.optional}
        found = Counter(key for _, row in self._raw.rows if isinstance(row, dict) for key in row if key not in known)
        return dict(sorted(found.items()))

    @cached_property
    def _items(self) -> list[Item | str | UserError]:
        return [self._read(number, row) for number, row in self._raw.rows]

    @property
    def error(self) -> UserError | None:
        """A row that lacks the fields, or a damaged file: the first of them."""
        return next((item for item in self._items if isinstance(item, UserError)), self._raw.error)

    @property
    def rows(self) -> Iterator[Proposal]:
        """One proposal a row, in order, up to the `error`."""
        items: list[Item | str] = []
        for item in self._items:
            if isinstance(item, UserError):
                break
            items.append(item)
        edges = _edges([len(item.prompt) for item in items if isinstance(item, Item)])
        for index, item in enumerate(items):
            if isinstance(item, str):
                yield Proposal(0, index, 0, None, item)
                continue
            level = bisect_right(edges, len(item.prompt))
            yield Proposal(0, index, level, self._subject(item, level, index))

    def _read(self, number: int, row: Row | str) -> Item | str | UserError:
        if isinstance(row, str):
            return f"intake: {row}"
        missing = self._importer.lacks(row)
        if missing:
            have, need = ", ".join(sorted(row)) or "none", self._importer.needs
            return UserError(
                f"{self.name}: the row at line {number} lacks {', '.join(missing)}; it has: {have}; "
                f"importer '{self._importer.name}' needs {need}; see: gradatim import --help"
            )
        try:
            return self._fit(self._importer.item(row))
        except Unfit as unfit:
            return f"intake: {unfit}"

    def _fit(self, item: Item) -> Item:
        """The item, where a task can be made of it."""
        if not item.prompt.strip():
            raise Unfit("no prompt")
        if len(item.prompt) > LONGEST:
            raise Unfit(f"a prompt of more than {LONGEST} characters")
        if any("\0" in (text or "") for text in (item.prompt, item.gold, item.reference, item.scaffold)):
            raise Unfit("a NUL character")
        try:
            dump_tests((*item.tests, *item.hidden_tests))
        except UserError as error:
            raise Unfit(f"tests: {str(error).partition(';')[0][:80]}") from None
        return item

    def _subject(self, item: Item, level: int, index: int) -> Subject:
        params: dict[str, JsonValue] = {"version": self._importer.version, "seed": 0, "index": index, **item.params}
        domain = Domain.CODE if item.answer_kind == "program" else Domain.MATH
        task = task_of(item, domain=domain, family=self.name, level=level, params=params, source=self.name)
        return Subject(task, item)


def _edges(lengths: Sequence[int]) -> list[int]:
    """The lengths at which a new level begins."""
    ordered = sorted(lengths)
    return [ordered[len(ordered) * k // N_LEVELS] for k in range(1, N_LEVELS)] if ordered else []


def _load_own_importers() -> None:
    import synth.importers as package

    for module in pkgutil.iter_modules(package.__path__, "synth.importers."):
        importlib.import_module(module.name)


IMPORTERS: Registry[Importer] = Registry(
    "importer", group="gradatim.importers", see="gradatim import --help", load=_load_own_importers
)


def importer(
    name: str,
    *,
    version: int,
    licence: str,
    fields: tuple[str, ...],
    hub: HubCorpus | None = None,
    others: tuple[tuple[str, ...], ...] = (),
    optional: tuple[str, ...] | None = None,
    meant: Mapping[str, str] | None = None,
) -> Callable[[Callable[[Row], Item]], Callable[[Row], Item]]:
    """Decorator that registers a function from a row to an item as the importer `name`; rows must have `fields`.

    `others`, `optional` and `meant` as `Importer` has them.
    """

    def register(item: Callable[[Row], Item]) -> Callable[[Row], Item]:
        made = Importer(name, version, licence, fields, item, hub, others, optional, meant or {})
        IMPORTERS.add(name, made, file=defining_file(item))
        return item

    return register


def get(name: str) -> Importer:
    """The importer called `name`; raises `UserError` with the nearest names when there is none."""
    return IMPORTERS.get(name)
