-- A scope for moderators.
ALTER TABLE personal_tokens DROP CONSTRAINT personal_tokens_scopes_check,
    ADD CONSTRAINT personal_tokens_scopes_check CHECK (scopes BETWEEN 1 AND 15) NOT VALID;
COMMENT ON COLUMN personal_tokens.scopes IS 'Bits: 1 read, 2 play, 4 account, 8 moderate.';
