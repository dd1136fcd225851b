-- Every flow run with its newest state. grain: one run; keys: run
SELECT r.*
FROM runs AS r
SEMI JOIN (SELECT max(rowid) AS newest FROM runs GROUP BY run) AS n ON n.newest = r.rowid;
