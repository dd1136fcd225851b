-- What people should look at first: disagreements, then the undecided, then what the newest verifiers judged, then a sample. grain: one task or rollout; keys: id
-- param limit = 20: rows at most
WITH reviewed AS (
    SELECT task_id, verifier_version AS about FROM verdicts WHERE "check" = 'review'
),
checked AS (
    SELECT
        task_id,
        count(*) FILTER (outcome = 'pass') AS n_pass,
        count(*) FILTER (outcome = 'fail') AS n_fail,
        count(*) FILTER (outcome = 'undecided') AS n_open
    FROM verdicts
    WHERE "check" <> 'review'
    GROUP BY task_id
),
versions AS (
    SELECT verifier, max(verifier_version) AS newest, count(DISTINCT verifier_version) AS n
    FROM verdicts
    WHERE "check" <> 'review'
    GROUP BY verifier
),
rejudged AS (
    SELECT DISTINCT v.task_id
    FROM verdicts AS v
    INNER JOIN versions AS n ON n.verifier = v.verifier AND n.newest = v.verifier_version AND n.n > 1
),
found AS (
    SELECT
        t.task_id AS id, 'task' AS what, t.task_id, t.family, t.level, NULL::VARCHAR AS judgement,
        CASE
            WHEN c.n_fail > 0 AND (t.status = 'accepted' OR c.n_pass > c.n_fail) THEN 'checks disagree'
            WHEN c.n_open > 0 THEN 'a check is undecided'
            WHEN t.task_id IN (SELECT task_id FROM rejudged) THEN 'judged by a new verifier version'
            ELSE 'sample'
        END AS why
    FROM current_tasks AS t
    LEFT JOIN checked AS c USING (task_id)
    WHERE t.status IN ('accepted', 'quarantined')
        AND NOT EXISTS (SELECT 1 FROM reviewed AS r WHERE r.task_id = t.task_id AND r.about = 'task')
    UNION ALL
    SELECT
        o.rollout_id, 'rollout', o.task_id, t.family, t.level, o.judgement,
        CASE
            WHEN (o.judgement = 'PASS') <> (coalesce(o.reward, 0) > 0) THEN 'graders disagree with the verifier'
            WHEN o.judgement IN ('UNDECIDED', 'UNSTABLE') THEN 'undecided'
            WHEN o.cheats <> '[]' THEN 'called a cheat'
            ELSE 'sample'
        END
    FROM rollouts AS o
    INNER JOIN current_tasks AS t USING (task_id)
    WHERE o.judgement <> 'INFRA'
        AND NOT EXISTS (SELECT 1 FROM reviewed AS r WHERE r.task_id = o.task_id AND r.about = o.rollout_id)
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
        min_by({'id': id, 'why': why, 'task_id': task_id, 'level': level}, hash(id), $limit::BIGINT) AS rows
    FROM ranked
    GROUP BY urgency, family, what, judgement
)
SELECT one.id, what, one.why, one.task_id, family, one.level, judgement
FROM (
    SELECT urgency, family, what, judgement, unnest(rows) AS one, unnest(generate_series(1, len(rows))) AS nth FROM picked
)
ORDER BY urgency, nth, hash(family || what || coalesce(judgement, '')), one.id
LIMIT $limit::BIGINT;
