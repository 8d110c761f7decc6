COMMENT ON TABLE match_last_seen IS 'When players who have channels last looked at a match. Rows are deleted after a day.';
ALTER TABLE match_last_seen DROP COLUMN version;
