-- How right tasks are that a model wrote and another admitted, by the families' own programs, beside the writer judging itself; 95 % Wilson intervals. grain: campaign x generator x verification (separated, alone); keys: campaign_id, generator, verification
-- param campaign = %: campaign_id, as a LIKE pattern
WITH written AS (
    SELECT * FROM attempts
    WHERE generator_kind = 'model' AND campaign_id LIKE $campaign
    QUALIFY row_number() OVER (PARTITION BY attempt_id ORDER BY rowid DESC) = 1
),
proposals AS (
    SELECT
        campaign_id, generator, any_value(generator_lineage) AS generator_lineage,
        count(*) AS n_proposals,
        count(*) FILTER (reason LIKE 'writer:%') AS n_malformed,
        count(*) FILTER (reason LIKE 'infrastructure:%') AS n_infrastructure,
        count(*) FILTER (reason LIKE 'duplicate%') AS n_duplicates
    FROM written
    GROUP BY campaign_id, generator
),
verdicts_of AS (
    SELECT task_id, "check", outcome, verifier_lineage, evidence ->> 'alone' AS alone
    FROM verdicts
    WHERE "check" IN ('blind', 'program audit') AND task_id IN (SELECT task_id FROM written)
    QUALIFY row_number() OVER (PARTITION BY task_id, "check" ORDER BY rowid DESC) = 1
),
tasks_of AS (
    SELECT
        w.campaign_id, w.generator, w.task_id,
        bool_or(w.outcome = 'admitted') AS admitted,
        any_value(b.verifier_lineage) AS verifier_lineage,
        any_value(b.task_id) IS NOT NULL AS tried,
        any_value(a.alone) = 'pass' AS admitted_alone,
        any_value(a.outcome) AS truth
    FROM written AS w
    LEFT JOIN verdicts_of AS b ON b.task_id = w.task_id AND b."check" = 'blind'
    LEFT JOIN verdicts_of AS a ON a.task_id = w.task_id AND a."check" = 'program audit'
    WHERE w.task_id IS NOT NULL AND (w.reason IS NULL OR w.reason NOT LIKE 'duplicate%')
    GROUP BY w.campaign_id, w.generator, w.task_id
),
ways AS (
    SELECT *, 'separated' AS verification, admitted AS let_in, verifier_lineage AS by_lineage FROM tasks_of
    UNION ALL
    SELECT t.*, 'alone', t.admitted_alone IS TRUE, p.generator_lineage
    FROM tasks_of AS t JOIN proposals AS p USING (campaign_id, generator)
),
counts AS (
    SELECT
        campaign_id, generator, verification, max(by_lineage) AS verifier_lineage,
        count(*) AS n_examined,
        count(*) FILTER (truth = 'fail') AS n_wrong,
        count(*) FILTER (truth = 'undecided' OR truth IS NULL) AS n_unknown,
        count(*) FILTER (tried) AS n_tried,
        count(*) FILTER (tried AND truth = 'fail') AS n_tried_wrong,
        count(*) FILTER (tried AND truth = 'pass') AS n_tried_right,
        count(*) FILTER (let_in) AS n_admitted,
        count(*) FILTER (let_in AND truth = 'fail') AS n_admitted_wrong,
        count(*) FILTER (tried AND truth = 'pass' AND NOT let_in) AS n_refused_right
    FROM ways
    GROUP BY campaign_id, generator, verification
),
rates AS (
    SELECT
        *,
        list_transform(
            [[n_admitted_wrong, n_admitted], [n_admitted_wrong, n_tried_wrong], [n_refused_right, n_tried_right]],
            lambda x: if(x[2] > 0, {
                'rate': x[1] / x[2],
                'low': greatest(0, (x[1] + 1.9207294 - sqrt(3.8414588 * (x[1] * (x[2] - x[1]) / x[2] + 0.9603647))) / (x[2] + 3.8414588)),
                'high': least(1, (x[1] + 1.9207294 + sqrt(3.8414588 * (x[1] * (x[2] - x[1]) / x[2] + 0.9603647))) / (x[2] + 3.8414588))
            }, NULL)
        ) AS shares
    FROM counts
)
SELECT
    p.campaign_id, p.generator, p.generator_lineage, r.verification, r.verifier_lineage,
    p.n_proposals, p.n_proposals - p.n_malformed - p.n_infrastructure AS n_well_formed, p.n_duplicates,
    r.n_examined, r.n_wrong, r.n_unknown, r.n_wrong / nullif(r.n_examined, 0) AS wrong_rate,
    r.n_tried, r.n_admitted, r.n_admitted_wrong,
    r.shares[1].rate AS admitted_wrong_rate, r.shares[1].low AS admitted_wrong_low, r.shares[1].high AS admitted_wrong_high,
    r.n_tried_wrong, r.shares[2].rate AS false_accept_rate, r.shares[2].low AS false_accept_low, r.shares[2].high AS false_accept_high,
    r.n_tried_right, r.n_refused_right,
    r.shares[3].rate AS false_reject_rate, r.shares[3].low AS false_reject_low, r.shares[3].high AS false_reject_high,
    r.n_admitted / nullif(p.n_proposals - p.n_malformed - p.n_infrastructure, 0) AS yield_rate
FROM proposals AS p
JOIN rates AS r USING (campaign_id, generator)
ORDER BY p.campaign_id, p.generator, r.verification DESC;
