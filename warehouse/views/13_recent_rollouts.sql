-- Training rollouts of finished stages, with how long before the saved policy they were drawn. grain: one rollout; keys: rollout_id
SELECT r.rollout_id, s.stage_id, s.policy_out, s.n_steps - 1 - r.step AS steps_before
FROM rollouts AS r
INNER JOIN current_stages AS s ON s.stage_id = r.stage_id AND s.attempt = r.stage_attempt
WHERE r.purpose = 'train' AND s.status = 'finished';
