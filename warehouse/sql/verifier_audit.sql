-- What each verifier version said, and how often the audit overturned it. grain: check x verifier x version; keys: check, verifier, verifier_version
WITH audited AS (
    SELECT task_id, bool_or(outcome = 'fail') AS refuted, bool_or(outcome = 'pass') AS confirmed
    FROM verdicts
    WHERE "check" LIKE 'audit%'
    GROUP BY task_id
)
SELECT
    v."check", v.verifier, v.verifier_version, v.verifier_lineage,
    count(*) AS n,
    count(*) FILTER (v.outcome = 'pass') AS n_pass,
    count(*) FILTER (v.outcome = 'fail') AS n_fail,
    count(*) FILTER (v.outcome = 'undecided') AS n_undecided,
    count(*) FILTER (v.outcome = 'pass' AND a.refuted) / nullif(count(*) FILTER (v.outcome = 'pass' AND a.task_id IS NOT NULL), 0) AS false_accept_rate,
    count(*) FILTER (v.outcome = 'fail' AND a.confirmed AND NOT a.refuted)
    / nullif(count(*) FILTER (v.outcome = 'fail' AND a.task_id IS NOT NULL), 0) AS false_reject_rate,
    count(*) FILTER (a.task_id IS NOT NULL) AS n_audited,
    sum(v.cost) AS cost
FROM verdicts AS v
LEFT JOIN audited AS a USING (task_id)
WHERE v."check" NOT LIKE 'audit%'
GROUP BY v."check", v.verifier, v.verifier_version, v.verifier_lineage
ORDER BY v."check", v.verifier, v.verifier_version;
