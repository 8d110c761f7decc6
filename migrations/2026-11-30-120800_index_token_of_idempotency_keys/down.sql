DROP INDEX CONCURRENTLY IF EXISTS idempotency_keys_token_id_idx;
