DROP TABLE open_matches;
ALTER TABLE matches DROP COLUMN visibility;
