CREATE INDEX CONCURRENTLY IF NOT EXISTS channels_email_address_idx ON channels (lower(url))
    WHERE format = 'email' AND verified_at IS NOT NULL;
