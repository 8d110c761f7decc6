-- The challenges of an account go with it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS challenges_challenger_id_idx ON challenges (challenger_id);
