COMMENT ON COLUMN gifts.text IS '1 to 140 printable characters.';
ALTER TABLE gifts DROP CONSTRAINT gifts_text_check;
-- Not checked for what is there: a text that was emptied cannot be brought back.
ALTER TABLE gifts ADD CONSTRAINT gifts_text_check CHECK (char_length(text) BETWEEN 1 AND 140) NOT VALID;
DROP INDEX accounts_deletion_asked_at_idx;
ALTER TABLE accounts
    DROP CONSTRAINT accounts_deleted_check,
    DROP COLUMN deleted_at,
    DROP COLUMN deletion_asked_at;
