-- Pairs of accounts that have used one browser.
CREATE TABLE shared_browsers (
    account_id uuid        NOT NULL CONSTRAINT shared_browsers_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    other_id   uuid        NOT NULL CONSTRAINT shared_browsers_other_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    seen_at    timestamptz NOT NULL,
    CONSTRAINT shared_browsers_pkey PRIMARY KEY (account_id, other_id),
    CONSTRAINT shared_browsers_check CHECK (account_id <> other_id)
);
CREATE INDEX shared_browsers_other_id_idx ON shared_browsers (other_id);
COMMENT ON TABLE shared_browsers IS 'Pairs of accounts whose notifications one browser has received, for an automatic mark; kept for 90 days.';
COMMENT ON COLUMN shared_browsers.account_id IS 'The account that receives them now.';
COMMENT ON COLUMN shared_browsers.other_id IS 'The account that received them before.';
COMMENT ON COLUMN shared_browsers.seen_at IS 'When the browser was last taken over.';
