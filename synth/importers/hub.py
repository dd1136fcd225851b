"""Corpora from the hub through `datasets`, where there is a network."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import islice

from synth.importers.reading import Raw, Row
from warehouse.errors import UserError
from warehouse.records import canonical_json


@dataclass(frozen=True, slots=True)
class HubCorpus:
    """Where a corpus lies on the hub, and at which revision; `rename` maps the hub's fields to the file's."""

    path: str
    config: str
    split: str
    revision: str = "main"
    rename: tuple[tuple[str, str], ...] = ()


def read_hub(corpus: HubCorpus, *, limit: int | None = None) -> Raw:
    """The rows of the corpus; raises `UserError` when the hub cannot be reached or does not have it."""
    import datasets

    try:
        rows = datasets.load_dataset(corpus.path, corpus.config, split=corpus.split, revision=corpus.revision)
    except (OSError, ValueError, RuntimeError) as error:
        raise UserError(
            f"{corpus.path} ({corpus.config}, {corpus.split}) could not be read from the hub: {type(error).__name__}; "
            "give --path FILE instead; see: gradatim import --help"
        ) from None
    names = dict(corpus.rename)
    kept = [_kept({names.get(key, key): value for key, value in row.items()}) for row in islice(rows, limit)]
    digest = hashlib.sha256("\n".join(canonical_json(row) for row in kept).encode())
    return Raw(digest.hexdigest(), list(enumerate(kept, 1)))


def _kept(row: Row) -> Row | str:
    """A row as it is, or why no warehouse can keep it."""
    try:
        canonical_json(row).encode()
    except UnicodeEncodeError:
        return "half a character"
    except (TypeError, ValueError, RecursionError) as error:
        return f"no JSON: {str(error)[:80]}"
    return row
