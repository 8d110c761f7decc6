CREATE INDEX CONCURRENTLY IF NOT EXISTS channels_digest_at_idx ON channels (digest_at)
    WHERE kinds & 64 <> 0 AND ended_at IS NULL;
