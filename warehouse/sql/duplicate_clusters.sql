-- Kept tasks and what was dropped in their favour, largest first. grain: one kept task; keys: kept_task_id
-- param limit = 100: rows at most
SELECT
    kept_task_id,
    count(*) AS n_dropped,
    min(similarity) AS lowest_similarity,
    max(similarity) AS highest_similarity,
    list(DISTINCT reason ORDER BY reason) AS reasons,
    list(DISTINCT generator ORDER BY generator) AS generators
FROM attempts
WHERE kept_task_id IS NOT NULL AND outcome = 'rejected'
GROUP BY kept_task_id
ORDER BY n_dropped DESC, kept_task_id
LIMIT $limit::BIGINT;
