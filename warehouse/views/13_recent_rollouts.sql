-- Training rollouts of finished stages, with how long before the saved policy they were drawn. grain: one rollout; keys: rollout_id
SELECT r.rollout_id, s.stage_id, s.policy_out, s.n_steps - 1 - r.step AS steps_before
FROM rollouts AS r
INNER JOIN current_stages AS s ON s.stage_id = r.stage_id AND r.stage_attempt <= s.attempt AND r.step < s.n_steps
WHERE r.purpose = 'train' AND s.status = 'finished'
-- A step that a killed attempt had done counts unless a later one did it again. By policy too: a filter reaches below.
QUALIFY r.stage_attempt = max(r.stage_attempt) OVER (PARTITION BY s.policy_out, r.stage_id, r.step);
