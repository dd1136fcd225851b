"""A plan's pool: the tasks it may draw, copied once from a snapshot, so that each draw takes a fraction of a second."""

from __future__ import annotations

from types import TracebackType

import duckdb
import pyarrow as pa

from warehouse.catalog import LAKE
from warehouse.records import Split, Status
from warehouse.store import Store

_POOL = """
SELECT t.task_id, t.arm, c.n, c.c, c.mean, coalesce(c.p_mixed, $unseen) AS p_mixed
FROM (
    SELECT task_id, any_value(family) || '/' || any_value(level) || '/' || any_value(source) AS arm
    FROM tasks
    WHERE split = $split
    GROUP BY task_id
) AS t
SEMI JOIN (
    SELECT task_id FROM (SELECT task_id, max_by(status, rowid) AS status FROM task_status GROUP BY task_id)
    WHERE status = $status
) AS s ON s.task_id = t.task_id
LEFT JOIN (
    SELECT task_id, max_by(n, rowid) AS n, max_by(c, rowid) AS c, max_by(mean, rowid) AS mean,
        max_by(p_mixed, rowid) AS p_mixed
    FROM calibrations
    WHERE policy_id = $policy_id
    GROUP BY task_id
) AS c ON c.task_id = t.task_id
"""

_WITH_WHAT_A_DRAW_NEEDS = f"""
SELECT *, hash(task_id) AS task_hash, CASE WHEN p_mixed > 0 THEN ln(p_mixed) END AS log_p_mixed FROM ({_POOL})
"""

_DRAW = """
SELECT task_id, arm, p_mixed, n, c, mean
FROM temp.pool
WHERE p_mixed > 0
ORDER BY
    log_p_mixed - $temperature * ln(-ln((hash(task_hash, $seed) // 2 + 1) / 9223372036854775809.0)) DESC,
    task_id
LIMIT $n
"""


class Pool:
    """The accepted tasks of one split as one policy sees them at the snapshot `snapshot_id`; close it before the store.

    It lies in the store's memory, within the store's limit, and spills beyond it.
    Columns: `task_id`, `arm`, `n`, `c`, `mean` (none where never measured) and `p_mixed`.
    """

    def __init__(
        self,
        store: Store,
        *,
        policy_id: str,
        split: Split | str = Split.TRAIN,
        status: Status | str = Status.ACCEPTED,
        unseen: float = 0.5,
    ) -> None:
        self.snapshot_id = store.snapshot()
        params = {"split": str(split), "status": str(status), "policy_id": policy_id, "unseen": unseen}
        with store.reading() as source:
            self._connection: duckdb.DuckDBPyConnection = source.cursor()
            self._connection.execute(f"USE {LAKE}")
            self._connection.execute(f"CREATE TEMP TABLE pool AS {_WITH_WHAT_A_DRAW_NEEDS}", params)

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM temp.pool").fetchall()[0][0])

    def arms(self) -> pa.Table:
        """One row an arm: `arm`, `n_tasks`, `n_measured`, `mean_p_mixed`."""
        sql = (
            "SELECT arm, count(*) AS n_tasks, count(n) AS n_measured, avg(p_mixed) AS mean_p_mixed"
            " FROM temp.pool GROUP BY arm ORDER BY arm"
        )
        return self._connection.execute(sql).to_arrow_table()

    def draw(self, n: int, *, seed: int, temperature: float = 1.0) -> pa.Table:
        """`n` different tasks by Gumbel top-k on log P(mixed), the likeliest first; the same for the same seed.

        At temperature 1 this samples without replacement in proportion to P(mixed); towards 0 it takes the largest.
        """
        params = {"n": n, "seed": seed, "temperature": temperature}
        return self._connection.execute(_DRAW, params).to_arrow_table()

    def table(self) -> pa.Table:
        """The whole pool, sorted by task."""
        sql = "SELECT task_id, arm, n, c, mean, p_mixed FROM temp.pool ORDER BY task_id"
        return self._connection.execute(sql).to_arrow_table()

    def close(self) -> None:
        """Free the copy."""
        self._connection.close()

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
