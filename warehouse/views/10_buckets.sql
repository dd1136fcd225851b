-- How the accepted tasks of each arm look to each policy. grain: policy x family x level x bucket; keys: policy_id, family, level, bucket
SELECT
    c.policy_id,
    t.family,
    t.level,
    c.bucket,
    count(*) AS n_tasks,
    avg(c.mean) AS mean_pass_rate,
    avg(c.variance) AS mean_variance,
    avg(c.p_mixed) AS mean_p_mixed
FROM current_calibrations AS c
INNER JOIN current_tasks AS t ON t.task_id = c.task_id
WHERE t.status = 'accepted'
GROUP BY c.policy_id, t.family, t.level, c.bucket;
