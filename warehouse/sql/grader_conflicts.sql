-- Which graders fight over how many tasks. grain: pair of graders; keys: grader, other
SELECT
    grader, other,
    count(*) AS n_tasks,
    sum(n_conflicts)::BIGINT AS n_conflicts,
    sum(n_rollouts)::BIGINT AS n_rollouts,
    max_by(task_id, n_conflicts) AS worst_task
FROM grader_conflicts
GROUP BY grader, other
ORDER BY n_conflicts DESC, grader, other;
