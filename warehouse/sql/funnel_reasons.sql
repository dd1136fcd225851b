-- Why attempts were rejected, most frequent first. grain: campaign x generator x reason; keys: campaign_id, generator, reason
SELECT * FROM funnel_reasons
ORDER BY campaign_id, generator, n DESC, reason;
