-- Decided rollouts and passes of two policies on each task that both were evaluated on. grain: one task; keys: task_id
-- param policy_a: the first policy
-- param policy_b: the second policy
WITH tried AS (
    SELECT
        task_id,
        policy_id,
        count(*) FILTER (judgement NOT IN ('INFRA', 'UNDECIDED')) AS n,
        count(*) FILTER (judgement = 'PASS') AS c
    FROM (
        SELECT r.* FROM rollouts AS r
        SEMI JOIN (SELECT max(rowid) AS newest FROM rollouts WHERE purpose = 'eval' GROUP BY rollout_id) AS k
            ON k.newest = r.rowid
    )
    WHERE policy_id IN ($policy_a, $policy_b)
    GROUP BY task_id, policy_id
)
SELECT a.task_id, t.family, t.arm, a.n AS n_a, a.c AS c_a, b.n AS n_b, b.c AS c_b
FROM tried AS a
INNER JOIN tried AS b ON a.task_id = b.task_id AND a.policy_id = $policy_a AND b.policy_id = $policy_b
INNER JOIN current_tasks AS t ON t.task_id = a.task_id
ORDER BY a.task_id;
