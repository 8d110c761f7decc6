-- Deletion in two steps: an account is marked, and from then on nobody gets into it; when it has left its matches it is
-- made anonymous. What is marked and not yet deleted is found by a small index.

ALTER TABLE accounts
    ADD COLUMN deletion_asked_at timestamptz,
    ADD COLUMN deleted_at        timestamptz,
    ADD CONSTRAINT accounts_deleted_check CHECK (deleted_at IS NULL OR deletion_asked_at IS NOT NULL);
CREATE INDEX accounts_deletion_asked_at_idx ON accounts (deletion_asked_at)
    WHERE deletion_asked_at IS NOT NULL AND deleted_at IS NULL;
COMMENT ON COLUMN accounts.deletion_asked_at IS 'When its deletion began: nobody acts by it any more.';
COMMENT ON COLUMN accounts.deleted_at IS 'When the last that was personal went.';

-- A row that was emptied stays: views count them.
ALTER TABLE gifts DROP CONSTRAINT gifts_text_check;
ALTER TABLE gifts ADD CONSTRAINT gifts_text_check CHECK (char_length(text) <= 140);
COMMENT ON COLUMN gifts.text IS '1 to 140 printable characters; empty where whoever gave it has deleted their account.';
