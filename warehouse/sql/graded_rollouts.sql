-- Rollouts with more than the verifier's part, by the task's bucket for the policy, newest first. grain: one rollout; keys: rollout_id
-- param limit = 200000: newest rollouts at most
WITH newest AS (
    SELECT rowid AS place
    FROM rollouts
    WHERE parts NOT IN ('{}', '{"verifier":1.0}', '{"verifier":0.0}')
    ORDER BY rowid DESC
    LIMIT $limit::BIGINT
)
SELECT
    r.rollout_id, r.task_id, r.stage_id,
    coalesce(c.bucket, 'unknown') AS bucket,
    concat_ws('/', r.stage_id, r.stage_attempt, r.step, r.slot) AS "group",
    r.parts
FROM rollouts AS r
INNER JOIN newest AS n ON n.place = r.rowid
LEFT JOIN current_calibrations AS c ON c.task_id = r.task_id AND c.policy_id = r.policy_id
ORDER BY n.place DESC;
