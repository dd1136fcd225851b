"""The open warehouse behind the board: read-only, without the files of the private schema, shared by its readers.

Covered: hidden tests and held-out texts, which no query of the board can read even if one asked for them.
Not covered: what completions of a policy say about held-out tasks; the board shows none of those.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

from flows.settings import Settings, read_settings
from flows.steps.upkeep import existing_store
from warehouse.engine import quoted_text
from warehouse.errors import GradatimError, UserError
from warehouse.home import Home
from warehouse.store import Store

Told = TypeVar("Told")


class Desk:
    """Answers questions to one warehouse, one at a time; safe to share between the board's readers."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._store: Store | None = None
        self._mutex = threading.RLock()

    @property
    def home(self) -> Home:
        """The home whose warehouse is read."""
        return self.settings.place

    def ask(self, question: Callable[[Store], Told]) -> Told:
        """What `question` makes of the store; after a failure that is not the asker's the next one opens it anew.

        Raises `UserError` when there is no warehouse, and whatever the question raises.
        """
        with self._mutex:
            if self._store is None:
                self._store = public_store(self.settings)
            try:
                return question(self._store)
            except UserError:
                raise
            except GradatimError:
                self.leave()
                raise

    def leave(self) -> None:
        """Close the warehouse until somebody asks again."""
        with self._mutex:
            if self._store is not None:
                self._store.close()
                self._store = None


def public_store(settings: Settings) -> Store:
    """The warehouse, open for reading, with nothing but the public tables' files within reach."""
    store = existing_store(settings, read_only=True)
    try:
        with store.reading() as connection:
            connection.execute(f"SET allowed_directories = ['{quoted_text(store.home.data_path)}main/']")
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
    except BaseException:
        store.close()
        raise
    return store


def desk() -> Desk:
    """The desk of this process for the home that `GRADATIM_HOME` names."""
    return _desk_at(read_settings().home.absolute())


@cache
def _desk_at(home: Path) -> Desk:
    return Desk(read_settings(home))
