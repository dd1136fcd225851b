-- Every stage with its newest state. grain: one stage; keys: stage_id
SELECT s.*
FROM stages AS s
SEMI JOIN (SELECT max(rowid) AS newest FROM stages GROUP BY stage_id) AS n ON n.newest = s.rowid;
