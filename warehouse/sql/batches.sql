-- Every write with the snapshot it made, newest first. grain: one write; keys: batch
-- param limit = 100: rows at most
SELECT snapshot_id, batch, purpose, n_rows, run_id, written_at
FROM batches
ORDER BY rowid DESC
LIMIT $limit::BIGINT;
