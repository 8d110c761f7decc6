CREATE INDEX CONCURRENTLY IF NOT EXISTS idempotency_keys_channel_id_idx ON idempotency_keys (channel_id)
    WHERE channel_id IS NOT NULL;
