-- Tokens for bots and scripts, which last and can do no more than they are for.

CREATE TABLE personal_tokens (
    id           uuid        CONSTRAINT personal_tokens_pkey PRIMARY KEY,
    account_id   uuid        NOT NULL CONSTRAINT personal_tokens_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    last_used_at timestamptz,
    ended_at     timestamptz,
    scopes       smallint    NOT NULL CONSTRAINT personal_tokens_scopes_check CHECK (scopes BETWEEN 1 AND 7),
    name         text        NOT NULL CONSTRAINT personal_tokens_name_check CHECK (char_length(name) BETWEEN 1 AND 60),
    hash         bytea       NOT NULL CONSTRAINT personal_tokens_hash_key UNIQUE
        CONSTRAINT personal_tokens_hash_check CHECK (octet_length(hash) = 32)
);
CREATE INDEX personal_tokens_account_id_idx ON personal_tokens (account_id);
-- Asked for twice a second by every instance.
CREATE INDEX personal_tokens_ended_at_idx ON personal_tokens (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX personal_tokens_expires_at_idx ON personal_tokens (expires_at) WHERE ended_at IS NULL;
COMMENT ON TABLE personal_tokens IS 'Tokens for bots and scripts. Rows that have ended or expired are deleted after a day.';
COMMENT ON COLUMN personal_tokens.id IS 'UUIDv7.';
COMMENT ON COLUMN personal_tokens.created_at IS 'When it was made.';
COMMENT ON COLUMN personal_tokens.expires_at IS 'When it stops being accepted.';
COMMENT ON COLUMN personal_tokens.last_used_at IS 'Newest use, to the minute; null before the first.';
COMMENT ON COLUMN personal_tokens.ended_at IS 'When it was revoked.';
COMMENT ON COLUMN personal_tokens.scopes IS 'Bits: 1 read, 2 play, 4 account.';
COMMENT ON COLUMN personal_tokens.name IS 'What its owner calls it: 1 to 60 characters.';
COMMENT ON COLUMN personal_tokens.hash IS 'SHA-256 of the secret in the token, which is shown once and not kept.';
