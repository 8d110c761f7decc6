CREATE INDEX CONCURRENTLY IF NOT EXISTS seats_trial_idx ON seats (trial, account_id);
