-- What the ancestors of a policy showed of every task that they tried, by their newest calibrations. grain: ancestor x task; keys: policy_id, task_id
-- param policy = newest: a policy_id, or newest
WITH RECURSIVE line AS (
    SELECT parent AS policy_id, 1 AS generations_back
    FROM current_policies
    WHERE policy_id = CASE WHEN $policy = 'newest' THEN (SELECT max_by(policy_id, nth) FROM current_policies) ELSE $policy END
    UNION
    SELECT p.parent, l.generations_back + 1
    FROM current_policies AS p
    INNER JOIN line AS l ON p.policy_id = l.policy_id
    WHERE l.generations_back < 8
)
SELECT c.policy_id, l.generations_back, c.task_id, c.arm, c.n, c.c
FROM current_calibrations AS c
INNER JOIN line AS l USING (policy_id)
WHERE c.n > 0
ORDER BY l.generations_back, c.arm, c.task_id;
