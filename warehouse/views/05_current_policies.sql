-- Every checkpoint once, numbered in the order of writing. grain: one checkpoint; keys: policy_id
SELECT p.*, row_number() OVER (ORDER BY p.rowid) AS nth
FROM policies AS p
SEMI JOIN (SELECT max(rowid) AS newest FROM policies GROUP BY policy_id) AS n ON n.newest = p.rowid;
