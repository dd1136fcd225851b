-- Completions of tasks that passed, without a cheat, when trained or probed. grain: task x completion; keys: task_id, completion
-- param per_task = 4: completions of one task at most
WITH passed AS (
    SELECT task_id, completion, max(written_at) AS newest
    FROM rollouts
    WHERE judgement = 'PASS' AND cheats = '[]' AND purpose IN ('train', 'probe')
    GROUP BY task_id, completion
)
SELECT task_id, completion
FROM passed
QUALIFY row_number() OVER (PARTITION BY task_id ORDER BY newest DESC, completion) <= $per_task::BIGINT
ORDER BY task_id, completion;
