-- How often people and each judge agree: of rollouts with the judges' word, of tasks with each evidence check; 95 % Wilson intervals. grain: what x judge x version; keys: what, judge, version
WITH people AS (
    SELECT task_id, verifier_version AS about, outcome
    FROM verdicts
    WHERE "check" = 'review' AND outcome <> 'undecided'
    QUALIFY row_number() OVER (PARTITION BY task_id, verifier, verifier_version ORDER BY rowid DESC) = 1
),
checks AS (
    SELECT task_id, "check", verifier, verifier_version, outcome
    FROM verdicts
    WHERE "check" <> 'review'
    QUALIFY row_number() OVER (PARTITION BY task_id, "check", verifier, verifier_version ORDER BY rowid DESC) = 1
),
pairs AS (
    SELECT 'task' AS what, c."check" || ' by ' || c.verifier AS judge, c.verifier_version AS version,
        c.outcome = 'pass' AS accepted, p.outcome = 'pass' AS accepted_by_person
    FROM people AS p
    INNER JOIN checks AS c USING (task_id)
    WHERE p.about = 'task' AND c.outcome <> 'undecided'
    UNION ALL
    SELECT 'rollout', 'judges', 'stored', o.judgement = 'PASS', p.outcome = 'pass'
    FROM people AS p
    INNER JOIN rollouts AS o ON o.rollout_id = p.about
    WHERE o.judgement NOT IN ('UNDECIDED', 'INFRA')
),
tallies AS (
    SELECT
        what, judge, version,
        count(*) AS n,
        count(*) FILTER (accepted = accepted_by_person) AS n_agree,
        count(*) FILTER (accepted AND NOT accepted_by_person) AS n_false_accept,
        count(*) FILTER (NOT accepted AND accepted_by_person) AS n_false_reject
    FROM pairs
    GROUP BY ALL
),
rates AS (
    SELECT *, n_agree / n AS agreement, 1.959963984540054 ** 2 AS z2 FROM tallies
)
SELECT
    what, judge, version, n, n_agree, agreement,
    (agreement + z2 / (2 * n) - sqrt(z2 * (agreement * (1 - agreement) + z2 / (4 * n)) / n)) / (1 + z2 / n) AS low,
    (agreement + z2 / (2 * n) + sqrt(z2 * (agreement * (1 - agreement) + z2 / (4 * n)) / n)) / (1 + z2 / n) AS high,
    n_false_accept, n_false_reject
FROM rates
ORDER BY what, judge, version;
