DROP INDEX CONCURRENTLY IF EXISTS idempotency_keys_match_id_idx;
