-- How often each verifier version is wrong: in check `audit` by answers of known truth, elsewhere by the audits that overturn it; 95 % Wilson intervals. grain: check x verifier x version; keys: check, verifier, verifier_version
WITH newest AS (
    SELECT *, evidence ->> 'n_wrong' IS NOT NULL AS counted
    FROM verdicts
    SEMI JOIN (
        SELECT max(rowid) AS newest FROM verdicts GROUP BY task_id, "check", verifier, verifier_version
    ) AS n ON n.newest = verdicts.rowid
),
audited AS (
    SELECT task_id, bool_or(outcome = 'fail') AS refuted, bool_or(outcome = 'pass') AS confirmed
    FROM newest
    WHERE "check" LIKE 'audit%' AND NOT counted
    GROUP BY task_id
),
tallies AS (
    SELECT
        v."check", v.verifier, v.verifier_version, v.verifier_lineage,
        count(*) AS n,
        count(*) FILTER (v.outcome = 'pass') AS n_pass,
        count(*) FILTER (v.outcome = 'fail') AS n_fail,
        count(*) FILTER (v.outcome = 'undecided') AS n_undecided,
        CASE WHEN v.counted THEN sum((v.evidence ->> 'n_wrong')::BIGINT)::BIGINT
            ELSE count(*) FILTER (v.outcome = 'pass' AND a.task_id IS NOT NULL) END AS n_wrong,
        CASE WHEN v.counted THEN sum((v.evidence ->> 'n_false_accept')::BIGINT)::BIGINT
            ELSE count(*) FILTER (v.outcome = 'pass' AND a.refuted) END AS n_false_accept,
        CASE WHEN v.counted THEN sum((v.evidence ->> 'n_right')::BIGINT)::BIGINT
            ELSE count(*) FILTER (v.outcome = 'fail' AND a.task_id IS NOT NULL) END AS n_right,
        CASE WHEN v.counted THEN sum((v.evidence ->> 'n_false_reject')::BIGINT)::BIGINT
            ELSE count(*) FILTER (v.outcome = 'fail' AND a.confirmed AND NOT a.refuted) END AS n_false_reject,
        CASE WHEN v.counted THEN sum((v.evidence ->> 'n_undecided')::BIGINT)::BIGINT END AS n_answers_undecided,
        count(*) FILTER (v.counted OR a.task_id IS NOT NULL) AS n_audited,
        sum(v.cost) AS cost
    FROM newest AS v
    LEFT JOIN audited AS a USING (task_id)
    WHERE v.counted OR v."check" NOT LIKE 'audit%'
    GROUP BY v."check", v.verifier, v.verifier_version, v.verifier_lineage, v.counted
),
rates AS (
    SELECT
        *,
        n_false_accept / nullif(n_wrong, 0) AS false_accept_rate,
        n_false_reject / nullif(n_right, 0) AS false_reject_rate,
        1.959963984540054 ** 2 AS z2
    FROM tallies
)
SELECT
    "check", verifier, verifier_version, verifier_lineage, n, n_pass, n_fail, n_undecided,
    false_accept_rate,
    if(n_wrong > 0, greatest(0, (false_accept_rate + z2 / (2 * n_wrong)
        - sqrt(z2 * (false_accept_rate * (1 - false_accept_rate) + z2 / (4 * n_wrong)) / n_wrong)) / (1 + z2 / n_wrong)), NULL)
    AS false_accept_low,
    if(n_wrong > 0, least(1, (false_accept_rate + z2 / (2 * n_wrong)
        + sqrt(z2 * (false_accept_rate * (1 - false_accept_rate) + z2 / (4 * n_wrong)) / n_wrong)) / (1 + z2 / n_wrong)), NULL)
    AS false_accept_high,
    false_reject_rate,
    if(n_right > 0, greatest(0, (false_reject_rate + z2 / (2 * n_right)
        - sqrt(z2 * (false_reject_rate * (1 - false_reject_rate) + z2 / (4 * n_right)) / n_right)) / (1 + z2 / n_right)), NULL)
    AS false_reject_low,
    if(n_right > 0, least(1, (false_reject_rate + z2 / (2 * n_right)
        + sqrt(z2 * (false_reject_rate * (1 - false_reject_rate) + z2 / (4 * n_right)) / n_right)) / (1 + z2 / n_right)), NULL)
    AS false_reject_high,
    n_wrong, n_false_accept, n_right, n_false_reject, n_answers_undecided, n_audited, cost
FROM rates
ORDER BY "check", verifier, verifier_version;
