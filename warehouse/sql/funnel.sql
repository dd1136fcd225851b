-- What went in and came out of each generator, the yield included. grain: campaign x generator x version; keys: campaign_id, generator, generator_version
SELECT *, n_out / nullif(n_in, 0) AS yield_rate
FROM funnel
ORDER BY campaign_id, generator, generator_version;
