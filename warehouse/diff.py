"""What changed between two snapshots: tasks, their status, their buckets, and the plans."""

from __future__ import annotations

from typing import Any

from warehouse.store import Store


def diff(store: Store, before: int, after: int, *, limit: int = 1000) -> dict[str, Any]:
    """Tasks that came, statuses and buckets that moved and mixtures made after `before` and up to `after`.

    Counts are whole; lists hold at most `limit` rows each. Raises `UserError` for a snapshot that is not kept.
    """
    with store.at(before) as old, store.at(after) as new:
        tasks_old, tasks_new = (s.arrow("SELECT task_id, status, arm FROM current_tasks") for s in (old, new))
        cells_old, cells_new = (
            s.arrow("SELECT task_id, policy_id, bucket FROM current_calibrations") for s in (old, new)
        )
        plans = new.rows(
            "SELECT m.mixture_id, m.campaign_id, m.stage_index, m.scheduler, m.weights, m.diff, m.kl FROM mixtures m"
            " WHERE m.rowid > $last ORDER BY m.rowid",
            {"last": old.rows("SELECT coalesce(max(rowid), -1) AS last FROM mixtures")[0]["last"]},
        )
    with store.scratch() as scratch:
        for name, table in {"a": tasks_old, "b": tasks_new, "x": cells_old, "y": cells_new}.items():
            scratch.register(name, table)

        def rows(sql: str) -> list[dict[str, Any]]:
            return scratch.execute(sql).to_arrow_table().to_pylist()  # type: ignore[no-any-return]

        return {
            "before": before,
            "after": after,
            "tasks_added": rows(
                "SELECT arm, status, count(*) AS n FROM b ANTI JOIN a USING (task_id) GROUP BY ALL ORDER BY ALL"
            ),
            "added": rows(
                f"SELECT task_id, arm, status FROM b ANTI JOIN a USING (task_id) ORDER BY task_id LIMIT {limit:d}"
            ),
            "status_moves": rows(
                "SELECT a.status AS before, b.status AS after, count(*) AS n FROM a JOIN b USING (task_id)"
                " WHERE a.status <> b.status GROUP BY ALL ORDER BY ALL"
            ),
            "changed": rows(
                "SELECT task_id, a.status AS before, b.status AS after FROM a JOIN b USING (task_id)"
                f" WHERE a.status <> b.status ORDER BY task_id LIMIT {limit:d}"
            ),
            "bucket_moves": rows(
                "SELECT policy_id, coalesce(x.bucket, 'unknown') AS before, y.bucket AS after, count(*) AS n"
                " FROM y LEFT JOIN x USING (task_id, policy_id) WHERE coalesce(x.bucket, 'unknown') <> y.bucket"
                " GROUP BY ALL ORDER BY ALL"
            ),
            "mixtures": plans,
        }
