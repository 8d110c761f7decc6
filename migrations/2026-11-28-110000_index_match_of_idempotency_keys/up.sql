-- The key of a match goes with it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS idempotency_keys_match_id_idx ON idempotency_keys (match_id)
    WHERE match_id IS NOT NULL;
