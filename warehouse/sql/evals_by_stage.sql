-- pass@k and the other figures after each stage, with intervals. grain: campaign x stage x policy x metric; keys: campaign_id, stage_index, policy_id, metric
-- param metric = pass@%: metric, as a LIKE pattern
-- param group = all: all, family:NAME or arm:NAME
SELECT e.campaign_id, e.stage_index, e.policy_id, e.metric, e.value, e.low, e.high, e.n, e.n_samples
FROM evals AS e
SEMI JOIN (SELECT max(rowid) AS newest FROM evals GROUP BY eval_id, "group", metric) AS n ON n.newest = e.rowid
WHERE e.metric LIKE $metric AND e."group" = $group
ORDER BY e.campaign_id, e.stage_index, e.policy_id, e.metric;
