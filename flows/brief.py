"""A run whose server is gone ends within minutes: what it would tell the server waits for no one.

Prefect's client tries to send each event for some ten seconds, one after the other, and a process does not end before
all were tried, so that the wait grows with the tasks. Sent without pauses, events of a server that comes back are still
sent again, and those of one that stays away cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process

from prefect.events.clients import PrefectEventsClient
from prefect.events.worker import EventsWorker, emit_events_to_cloud
from prefect.settings import PREFECT_API_URL, PREFECT_CLIENT_MAX_RETRIES, temporary_settings

EVENT_TRIES = 1
"""Times that an event is tried again at once; Prefect pauses before the fourth."""
SHOWN_TRIES = 1
"""Times that what a run only shows is tried again, after 2 s; Prefect's own 5 take a minute."""


def send_events_briefly() -> None:
    """Send events of this process without pauses, where a server is given; a worker of a pool hands its events on."""
    if PREFECT_API_URL.value() and not emit_events_to_cloud() and parent_process() is None:
        EventsWorker.set_client_override(PrefectEventsClient, reconnection_attempts=EVENT_TRIES)


@contextmanager
def events_sent_briefly(api_url: str) -> Iterator[None]:
    """Send events to the server at `api_url` without pauses."""
    EventsWorker.set_client_override(PrefectEventsClient, api_url=api_url, reconnection_attempts=EVENT_TRIES)
    try:
        yield
    finally:
        EventsWorker.set_client_override(None)


@contextmanager
def shown_briefly() -> Iterator[None]:
    """Within it the server is not waited for: for what a run shows and can do without."""
    with temporary_settings({PREFECT_CLIENT_MAX_RETRIES: SHOWN_TRIES}):
        yield
