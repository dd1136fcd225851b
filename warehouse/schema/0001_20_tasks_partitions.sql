-- Tasks lie apart by domain and month.
ALTER TABLE tasks SET PARTITIONED BY (domain, year(written_at), month(written_at));
