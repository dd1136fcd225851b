-- Tasks that fit filters and words of the prompt, a page at a time, with how many fit. grain: one task; keys: task_id
-- param domain = %: domain; % for any
-- param family = %: family; % for any
-- param level = %: level; % for any
-- param status = %: newest status; % for any
-- param bucket = %: bucket, % for any; unmeasured where the policy was never tried on the task
-- param policy = %: policy that buckets are for; % for the newest measurement by any
-- param text = %: words that the prompt must all hold, in any order and case, % for any; not for held-out prompts
-- param limit = 50: rows at most
-- param offset = 0: rows passed over
WITH chosen AS (
    SELECT task_id, max(rowid) AS place, any_value(family) AS family, any_value(level) AS level
    FROM tasks
    WHERE
        ($domain = '%' OR domain = $domain)
        AND ($family = '%' OR family = $family)
        AND ($level = '%' OR level::VARCHAR = $level)
        AND (
            $text = '%'
            OR list_bool_and(
                list_transform(string_split(lower($text), ' '), lambda word: contains(lower(prompt), word))
            )
        )
    GROUP BY task_id
),
measured AS (
    SELECT task_id, max_by(bucket, rowid) AS bucket, max_by(mean, rowid) AS mean
    FROM calibrations
    WHERE $policy = '%' OR policy_id = $policy
    GROUP BY task_id
),
page AS (
    SELECT
        c.task_id, c.place, m.mean,
        coalesce(s.status, 'candidate') AS status,
        coalesce(m.bucket, 'unmeasured') AS bucket,
        count(*) OVER () AS n_found
    FROM chosen AS c
    LEFT JOIN current_status AS s ON s.task_id = c.task_id
    LEFT JOIN measured AS m ON m.task_id = c.task_id
    WHERE
        ($status = '%' OR coalesce(s.status, 'candidate') = $status)
        AND ($bucket = '%' OR coalesce(m.bucket, 'unmeasured') = $bucket)
    ORDER BY c.family, c.level, c.task_id
    LIMIT $limit::BIGINT OFFSET $offset::BIGINT
)
SELECT
    p.task_id, t.domain, t.family, t.level, t.source, t.split, p.status, p.bucket, p.mean AS mean_pass_rate, t.prompt,
    p.n_found
FROM page AS p
INNER JOIN tasks AS t ON t.rowid = p.place
ORDER BY t.family, t.level, t.task_id;
