-- Accounts that an administrator has suspended.

ALTER TABLE accounts
    ADD COLUMN suspended_at      timestamptz,
    ADD COLUMN suspended_until   timestamptz,
    ADD COLUMN suspension_reason text,
    ADD CONSTRAINT accounts_suspension_check
        CHECK (suspended_at IS NOT NULL OR (suspended_until IS NULL AND suspension_reason IS NULL)),
    ADD CONSTRAINT accounts_suspension_reason_check CHECK (char_length(suspension_reason) <= 500);
COMMENT ON COLUMN accounts.suspended_at IS 'Since when nobody can log in to it; its sessions and tokens were ended then. Null if it is not suspended.';
COMMENT ON COLUMN accounts.suspended_until IS 'When the suspension ends by itself; null if it does not.';
COMMENT ON COLUMN accounts.suspension_reason IS 'What its owner is told at the log-in.';
