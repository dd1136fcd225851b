-- Every flow run, newest first. grain: one run; keys: run
-- param limit = 100: rows at most
SELECT run, campaign_id, flow, status, started_at, finished_at, cpu_s, code_version, reason
FROM current_runs
ORDER BY started_at DESC, run
LIMIT $limit::BIGINT;
