-- Why attempts were rejected. grain: campaign x generator x reason; keys: campaign_id, generator, reason
SELECT campaign_id, generator, reason, count(*) AS n, sum(cost) AS cost
FROM (SELECT * FROM attempts SEMI JOIN (SELECT max(rowid) AS newest FROM attempts GROUP BY attempt_id) AS n ON newest = rowid)
WHERE outcome = 'rejected'
GROUP BY campaign_id, generator, reason;
