-- What is known of every task of a policy: its newest calibration, and evaluation rollouts of tasks that are not trained on. grain: task; keys: task_id
-- param policy: policy_id
WITH measured AS (
    SELECT task_id, arm, n, c
    FROM calibrations AS k
    SEMI JOIN (SELECT max(rowid) AS newest FROM calibrations WHERE policy_id = $policy GROUP BY task_id) AS l ON l.newest = k.rowid
),
tried AS (
    SELECT
        task_id,
        count(*) FILTER (judgement NOT IN ('INFRA', 'UNDECIDED')) AS n,
        count(*) FILTER (judgement = 'PASS') AS c
    FROM rollouts ANTI JOIN measured USING (task_id)
    WHERE policy_id = $policy
    GROUP BY task_id
    HAVING n > 0
),
arms AS (
    SELECT task_id, any_value(family) || '/' || any_value(level) || '/' || any_value(source) AS arm
    FROM tasks SEMI JOIN tried USING (task_id)
    GROUP BY task_id
)
SELECT task_id, arm, n, c FROM measured
UNION ALL
SELECT task_id, arm, n, c FROM tried INNER JOIN arms USING (task_id)
ORDER BY arm, task_id;
