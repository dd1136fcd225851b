-- What people should look at first: disagreements, then the undecided, then what the newest verifiers judged, then a sample (of 8 tasks a family for each row asked for). grain: one task or rollout; keys: id
-- param limit = 20: rows at most
WITH reviewed AS (
    SELECT task_id, verifier_version AS about FROM verdicts WHERE "check" = 'review'
),
known AS (
    SELECT task_id, any_value(family) AS family FROM tasks GROUP BY task_id
),
sampled AS (
    SELECT unnest(min_by(task_id, hash(task_id), 8 * $limit::BIGINT)) AS task_id FROM known GROUP BY family
),
tried AS (
    SELECT o.rollout_id, o.task_id, o.judgement, o.why
    FROM (
        SELECT
            rollout_id, task_id, judgement,
            CASE
                WHEN (judgement = 'PASS') <> (coalesce(reward, 0) > 0) THEN 'graders disagree with the verifier'
                WHEN judgement IN ('UNDECIDED', 'UNSTABLE') THEN 'undecided'
                WHEN cheats <> '[]' THEN 'called a cheat'
                ELSE 'sample'
            END AS why
        FROM rollouts
        WHERE judgement <> 'INFRA'
    ) AS o
    LEFT JOIN sampled AS s ON s.task_id = o.task_id
    WHERE o.why <> 'sample' OR s.task_id IS NOT NULL
),
doubted AS (
    SELECT
        task_id,
        count(*) FILTER (outcome = 'pass') AS n_pass,
        count(*) FILTER (outcome = 'fail') AS n_fail,
        count(*) FILTER (outcome = 'undecided') AS n_open
    FROM verdicts SEMI JOIN (SELECT task_id FROM verdicts WHERE outcome <> 'pass') AS d USING (task_id)
    WHERE "check" <> 'review'
    GROUP BY task_id
),
versions AS (
    SELECT verifier, max(verifier_version) AS newest
    FROM verdicts
    WHERE "check" <> 'review'
    GROUP BY verifier
    HAVING count(DISTINCT verifier_version) > 1
),
rejudged AS (
    SELECT DISTINCT v.task_id
    FROM verdicts AS v
    INNER JOIN versions AS n ON n.verifier = v.verifier AND n.newest = v.verifier_version
),
found AS (
    SELECT
        t.task_id AS id, 'task' AS what, t.task_id, t.family, NULL::VARCHAR AS judgement,
        CASE
            WHEN c.n_fail > 0 AND (s.status = 'accepted' OR c.n_pass > c.n_fail) THEN 'checks disagree'
            WHEN c.n_open > 0 THEN 'a check is undecided'
            WHEN j.task_id IS NOT NULL THEN 'judged by a new verifier version'
            ELSE 'sample'
        END AS why
    FROM known AS t
    INNER JOIN current_status AS s ON s.task_id = t.task_id AND s.status IN ('accepted', 'quarantined')
    LEFT JOIN doubted AS c ON c.task_id = t.task_id
    LEFT JOIN rejudged AS j ON j.task_id = t.task_id
    ANTI JOIN (SELECT task_id FROM reviewed WHERE about = 'task') AS r ON r.task_id = t.task_id
    UNION ALL
    SELECT o.rollout_id, 'rollout', o.task_id, t.family, o.judgement, o.why
    FROM tried AS o
    INNER JOIN known AS t ON t.task_id = o.task_id
    ANTI JOIN reviewed AS r ON r.task_id = o.task_id AND r.about = o.rollout_id
),
ranked AS (
    SELECT
        *,
        CASE why
            WHEN 'checks disagree' THEN 0
            WHEN 'graders disagree with the verifier' THEN 0
            WHEN 'undecided' THEN 1
            WHEN 'a check is undecided' THEN 1
            WHEN 'called a cheat' THEN 1
            WHEN 'judged by a new verifier version' THEN 2
            ELSE 3
        END AS urgency
    FROM found
),
picked AS (
    SELECT
        urgency, family, what, judgement,
        min_by({'id': id, 'why': why, 'task_id': task_id}, hash(id), $limit::BIGINT) AS rows
    FROM ranked
    GROUP BY urgency, family, what, judgement
),
queue AS (
    SELECT one.id AS id, what, one.why AS why, one.task_id AS task_id, family, judgement, urgency, nth
    FROM (
        SELECT urgency, family, what, judgement, unnest(rows) AS one, unnest(generate_series(1, len(rows))) AS nth FROM picked
    )
    ORDER BY urgency, nth, hash(family || what || coalesce(judgement, '')), id
    LIMIT $limit::BIGINT
)
SELECT q.id, q.what, q.why, q.task_id, q.family, t.level, q.judgement
FROM queue AS q
INNER JOIN (SELECT task_id, any_value(level) AS level FROM tasks SEMI JOIN queue USING (task_id) GROUP BY task_id) AS t USING (task_id)
ORDER BY q.urgency, q.nth, hash(q.family || q.what || coalesce(q.judgement, '')), q.id;
