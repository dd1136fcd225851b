-- What was found too close to a benchmark, as rejected attempts and as failed checks of tasks. grain: kind x id; keys: kind, id
SELECT 'attempt' AS kind, attempt_id AS id, task_id, generator AS found_by, reason, similarity, NULL AS evidence
FROM attempts
WHERE outcome = 'rejected' AND reason LIKE '%contaminat%'
UNION ALL
SELECT 'verdict', task_id || '/' || verifier || '/' || verifier_version, task_id, verifier, reason, NULL, evidence
FROM verdicts
WHERE "check" LIKE '%contaminat%' AND outcome = 'fail'
ORDER BY kind, id;
