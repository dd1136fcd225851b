-- Current tasks by status. grain: family x split x status; keys: family, split, status
SELECT family, split, status, count(*) AS n_tasks
FROM current_tasks
GROUP BY family, split, status
ORDER BY family, split, status;
