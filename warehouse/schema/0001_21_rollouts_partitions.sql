-- Rollouts lie apart by month, so that old ones can be let go.
ALTER TABLE rollouts SET PARTITIONED BY (year(written_at), month(written_at));
