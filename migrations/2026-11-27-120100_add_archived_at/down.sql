ALTER TABLE matches DROP COLUMN archived_at;
