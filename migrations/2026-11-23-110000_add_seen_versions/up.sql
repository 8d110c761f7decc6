-- Rows are now written for all players, for the unread counts of the home screen. Instances of the release before write 0.
ALTER TABLE match_last_seen ADD COLUMN version integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN match_last_seen.version IS 'Version of the match that they saw; 0 if not known.';
COMMENT ON TABLE match_last_seen IS 'When players last looked at a match. Rows are deleted after thirty days.';
