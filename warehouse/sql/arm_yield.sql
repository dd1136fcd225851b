-- How many attempts at each arm were admitted; one refused as a duplicate counts at the arm of the task it repeats. grain: arm; keys: arm
-- param besides = none: campaign_id whose attempts do not count
SELECT
    t.family || '/' || t.level || '/' || t.source AS arm,
    count(*) FILTER (a.outcome = 'admitted') AS n_admitted,
    count(*) AS n_attempts
FROM (SELECT * FROM attempts SEMI JOIN (SELECT max(rowid) AS newest FROM attempts GROUP BY attempt_id) AS n ON newest = rowid) AS a
INNER JOIN (
    SELECT task_id, any_value(family) AS family, any_value(level) AS level, any_value(source) AS source FROM tasks GROUP BY task_id
) AS t ON t.task_id = coalesce(a.kept_task_id, a.task_id)
WHERE a.campaign_id <> $besides
GROUP BY ALL
ORDER BY arm;
