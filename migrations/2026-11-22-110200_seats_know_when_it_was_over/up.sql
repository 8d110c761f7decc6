-- What somebody waits for is found among the matches that are not over, however many one has played. A match ends
-- once, so this is written seldom; it is a help for finding, and match_states decides.
ALTER TABLE seats ADD COLUMN closed_at timestamptz;
UPDATE seats SET closed_at = s.updated_at FROM match_states s
    WHERE s.match_id = seats.match_id AND s.status IN ('finished', 'cancelled');
CREATE INDEX seats_open_idx ON seats (account_id, match_id) INCLUDE (seat) WHERE closed_at IS NULL;
CREATE INDEX seats_closed_idx ON seats (account_id, closed_at) WHERE closed_at IS NOT NULL;
COMMENT ON COLUMN seats.closed_at IS 'Noted after the match was over, perhaps a little later, so never before its last entry. Null: it may not be over.';
