-- How many of a kind an account has made today: rows may be deleted meanwhile, counts are not.
CREATE TABLE daily_counts (
    account_id uuid    NOT NULL CONSTRAINT daily_counts_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    kind       text    NOT NULL,
    day        date    NOT NULL,
    made       integer NOT NULL CONSTRAINT daily_counts_made_check CHECK (made > 0),
    CONSTRAINT daily_counts_pkey PRIMARY KEY (account_id, kind)
);
COMMENT ON TABLE daily_counts IS 'What an account has made on the last day on which it made any, by kind.';
COMMENT ON COLUMN daily_counts.account_id IS 'The account.';
COMMENT ON COLUMN daily_counts.kind IS 'Name of the bounds (crates/yaniv-app/src/kernel/bounds.rs).';
COMMENT ON COLUMN daily_counts.day IS 'The day, in UTC.';
COMMENT ON COLUMN daily_counts.made IS 'Their number on that day.';
