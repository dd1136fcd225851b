-- Expected mixed groups left in the accepted tasks calibrated for each policy, tasks trained on before counting less: P / (1 + n_informative / 3). grain: one policy; keys: policy_id
-- param policy = %: policy_id, as a LIKE pattern
WITH RECURSIVE line AS (
    SELECT policy_id AS tip, policy_id, parent FROM current_policies WHERE policy_id LIKE $policy
    UNION
    SELECT l.tip, p.policy_id, p.parent FROM line AS l INNER JOIN current_policies AS p ON p.policy_id = l.parent
),
informative AS (
    SELECT l.tip, g.task_id, count(*) AS n
    FROM (
        SELECT policy_id, task_id
        FROM rollouts
        WHERE purpose IN ('train', 'probe')
        GROUP BY policy_id, purpose, stage_id, stage_attempt, step, slot, task_id
        HAVING count(*) FILTER (judgement = 'PASS') BETWEEN 1
            AND count(*) FILTER (judgement NOT IN ('INFRA', 'UNDECIDED')) - 1
    ) AS g
    INNER JOIN line AS l USING (policy_id)
    GROUP BY l.tip, g.task_id
)
SELECT c.policy_id, count(*) AS n_tasks, sum(c.p_mixed / (1 + coalesce(i.n, 0) / 3.0)) AS stock
FROM current_calibrations AS c
SEMI JOIN current_tasks AS t ON t.task_id = c.task_id AND t.status = 'accepted'
LEFT JOIN informative AS i ON i.tip = c.policy_id AND i.task_id = c.task_id
WHERE c.policy_id LIKE $policy
GROUP BY c.policy_id
ORDER BY c.policy_id;
