CREATE INDEX CONCURRENTLY IF NOT EXISTS idempotency_keys_token_id_idx ON idempotency_keys (token_id)
    WHERE token_id IS NOT NULL;
