DROP INDEX CONCURRENTLY IF EXISTS idempotency_keys_channel_id_idx;
