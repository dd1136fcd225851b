-- What went in and came out of each generator. grain: campaign x generator x version; keys: campaign_id, generator, generator_version
SELECT
    campaign_id,
    generator,
    any_value(generator_kind) AS generator_kind,
    generator_version,
    any_value(generator_lineage) AS generator_lineage,
    count(*) AS n_in,
    count(*) FILTER (outcome = 'admitted') AS n_out,
    count(*) FILTER (outcome = 'rejected') AS n_rejected,
    sum(n_tokens)::BIGINT AS n_tokens,
    sum(cost) AS cost
FROM (SELECT * FROM attempts SEMI JOIN (SELECT max(rowid) AS newest FROM attempts GROUP BY attempt_id) AS n ON newest = rowid)
GROUP BY campaign_id, generator, generator_version;
