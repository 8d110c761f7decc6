-- The housekeeping deletes challenges that ended long ago, in batches.
CREATE INDEX CONCURRENTLY IF NOT EXISTS challenges_ended_idx ON challenges (COALESCE(ended_at, expires_at))
    WHERE outcome IS DISTINCT FROM 'accepted';
