-- At most one verified and one unverified address per account.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS channels_email_key ON channels (account_id, (verified_at IS NULL))
    WHERE format = 'email';
