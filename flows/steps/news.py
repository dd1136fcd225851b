"""What was measured since a scheduled flow last looked: the change feed of rollouts, by arm."""

from __future__ import annotations

from typing import NamedTuple

from flows.workshop import Workshop
from warehouse.feed import note_reached, reached

TABLE = "rollouts"
MEASURED = """
WITH fresh AS (
    SELECT DISTINCT task_id
    FROM rollouts AS r
    INNER JOIN (SELECT batch, snapshot_id AS written_in FROM batches) AS b ON b.batch = r.batch_id
    WHERE b.written_in > $since AND b.written_in <= $until AND r.purpose IN ('train', 'eval')
)
SELECT DISTINCT family || '/' || level || '/' || source AS arm FROM tasks SEMI JOIN fresh USING (task_id) ORDER BY arm
"""


class News(NamedTuple):
    """Arms with new rollouts of training or evaluation, and the snapshot up to which they reach.

    Probes are no news: a round of synthesis makes them itself, of the tasks that it has made.
    """

    reader: str
    arms: frozenset[str]
    until: int


def news_for(shop: Workshop, reader: str | None) -> News | None:
    """What is new for `reader` since it last came to an end; none without a reader, which is to say everything."""
    if reader is None:
        return None
    until = shop.store.snapshot()
    since = reached(shop.home, reader, TABLE)
    rows = shop.store.rows(MEASURED, {"since": since, "until": until})
    return News(reader, frozenset(row["arm"] for row in rows), until)


def handled(shop: Workshop, news: News | None) -> None:
    """Remember that `news` was handled; until then another run sees it again."""
    if news is not None:
        note_reached(shop.home, news.reader, TABLE, news.until)
