DROP INDEX CONCURRENTLY IF EXISTS channels_digest_at_idx;
