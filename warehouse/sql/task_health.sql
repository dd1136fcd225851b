-- Tasks that need a look, with the reason. grain: one task; keys: task_id
-- param limit = 100: rows at most
WITH checked AS (
    SELECT task_id, count(*) FILTER (outcome = 'fail') AS n_fail, count(*) FILTER (outcome = 'undecided') AS n_open
    FROM verdicts
    WHERE outcome <> 'pass'
    GROUP BY task_id
),
tried AS (
    SELECT
        task_id,
        count(*) FILTER (judgement NOT IN ('INFRA', 'UNDECIDED')) AS n,
        count(*) FILTER (judgement = 'PASS') AS c,
        count(*) FILTER (judgement IN ('INFRA', 'UNDECIDED')) AS n_undecided
    FROM rollouts
    GROUP BY task_id
),
odd AS (
    SELECT task_id, n, c, n_undecided FROM tried WHERE n_undecided > n OR (n >= 32 AND (c = 0 OR c = n))
),
suspected AS (
    SELECT task_id FROM checked
    UNION
    SELECT task_id FROM odd
),
known AS (
    SELECT task_id, any_value(family) AS family, any_value(level) AS level
    FROM tasks SEMI JOIN suspected USING (task_id)
    GROUP BY task_id
),
standing AS (
    SELECT task_id, max_by(status, rowid) AS status FROM task_status SEMI JOIN suspected USING (task_id) GROUP BY task_id
)
SELECT
    t.task_id, t.family, t.level, coalesce(s.status, 'candidate') AS status,
    coalesce(k.n_fail, 0) AS n_failed_checks,
    coalesce(k.n_open, 0) AS n_undecided_checks,
    coalesce(r.n, 0) AS n_rollouts,
    r.c / nullif(r.n, 0) AS pass_rate,
    coalesce(r.n_undecided, 0) AS n_undecided,
    CASE
        WHEN k.n_fail > 0 AND s.status = 'accepted' THEN 'accepted against a failed check'
        WHEN r.n_undecided > r.n THEN 'mostly undecided'
        WHEN r.n >= 32 AND r.c = 0 THEN 'never passed'
        WHEN r.n >= 32 AND r.c = r.n THEN 'always passed'
        ELSE 'undecided check'
    END AS finding
FROM known AS t
LEFT JOIN standing AS s USING (task_id)
LEFT JOIN checked AS k USING (task_id)
LEFT JOIN tried AS r USING (task_id)
WHERE (k.n_fail > 0 AND s.status = 'accepted')
    OR r.n_undecided > r.n
    OR (r.n >= 32 AND (r.c = 0 OR r.c = r.n))
    OR k.n_open > 0
ORDER BY n_failed_checks DESC, n_undecided DESC, t.task_id
LIMIT $limit::BIGINT;
