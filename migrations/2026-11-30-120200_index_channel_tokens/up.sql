CREATE INDEX CONCURRENTLY IF NOT EXISTS channels_token_id_idx ON channels (token_id) WHERE token_id IS NOT NULL;
