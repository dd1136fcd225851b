-- Difficulty and variance buckets of a policy's tasks. grain: family x level x bucket; keys: family, level, bucket
-- param policy = newest: a policy_id, or newest of those that were calibrated
SELECT b.*
FROM buckets AS b
WHERE b.policy_id = CASE WHEN $policy = 'newest' THEN (SELECT max_by(policy_id, rowid) FROM calibrations) ELSE $policy END
ORDER BY b.family, b.level, b.bucket;
