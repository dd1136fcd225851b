"""What the actions of a campaign so far add up to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from curriculum.knobs import Settings
from curriculum.looks import settings_after
from warehouse.records import Action


class Done(NamedTuple):
    """An action with the alarm that it answered."""

    alarm: str
    action: Action


class Standing(NamedTuple):
    """The settings now, the words that tilt plans (with their arms), alarms answered, and roll-backs done."""

    settings: Settings
    words: tuple[tuple[str, str | None], ...] = ()
    taken: tuple[str, ...] = ()
    n_rollbacks: int = 0


def follow(start: Settings, done: Iterable[Done]) -> Standing:
    """`start` after the actions `done`, oldest first; one that was refused counts as taken and changes nothing."""
    standing = Standing(start)
    for alarm, action in done:
        settings, words, after = standing.settings, standing.words, action.after
        if action.applied:
            settings = settings_after(settings, after)
            if after.get("mixture"):
                arm = after.get("arm")
                words = (*words, (str(after["mixture"]), str(arm) if arm else None))
        rollbacks = standing.n_rollbacks + bool(action.applied and after.get("rollback"))
        standing = Standing(settings, words, (*standing.taken, alarm), rollbacks)
    return standing
