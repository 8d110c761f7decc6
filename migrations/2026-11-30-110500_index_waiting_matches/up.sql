-- Matches that have waited for long are ended by the housekeeping.
CREATE INDEX CONCURRENTLY IF NOT EXISTS matches_waiting_idx ON matches (created_at)
    WHERE started_at IS NULL AND finished_at IS NULL;
