DELETE FROM personal_tokens WHERE scopes > 7;
ALTER TABLE personal_tokens DROP CONSTRAINT personal_tokens_scopes_check,
    ADD CONSTRAINT personal_tokens_scopes_check CHECK (scopes BETWEEN 1 AND 7);
COMMENT ON COLUMN personal_tokens.scopes IS 'Bits: 1 read, 2 play, 4 account.';
