DROP VIEW match_looks;
ALTER TABLE match_last_seen RENAME TO match_looks;
