-- Accounts that may moderate by the API.
CREATE TABLE moderators (
    account_id uuid        CONSTRAINT moderators_pkey PRIMARY KEY
                           CONSTRAINT moderators_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    added_at   timestamptz NOT NULL
);
COMMENT ON TABLE moderators IS 'Accounts that may have personal tokens with the scope moderate.';
COMMENT ON COLUMN moderators.account_id IS 'The account.';
COMMENT ON COLUMN moderators.added_at IS 'When the administrator added it.';
