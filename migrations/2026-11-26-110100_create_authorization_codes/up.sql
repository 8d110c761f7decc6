-- Authorization codes of OAuth.
CREATE TABLE authorization_codes (
    hash           bytea       CONSTRAINT authorization_codes_pkey PRIMARY KEY
                               CONSTRAINT authorization_codes_hash_check CHECK (octet_length(hash) = 32),
    session_id     uuid        NOT NULL CONSTRAINT authorization_codes_session_id_fkey REFERENCES sessions (id) ON DELETE CASCADE,
    client_id      text        NOT NULL,
    redirect_uri   text        NOT NULL,
    code_challenge bytea       NOT NULL CONSTRAINT authorization_codes_code_challenge_check CHECK (octet_length(code_challenge) = 32),
    scopes         smallint    NOT NULL CONSTRAINT authorization_codes_scopes_check CHECK (scopes BETWEEN 1 AND 7),
    expires_at     timestamptz NOT NULL,
    token_id       uuid
);
CREATE INDEX authorization_codes_session_id_idx ON authorization_codes (session_id);
COMMENT ON TABLE authorization_codes IS 'Authorization codes, which apps exchange for tokens (OAuth 2.1).';
COMMENT ON COLUMN authorization_codes.hash IS 'SHA-256 of the secret in the code.';
COMMENT ON COLUMN authorization_codes.session_id IS 'The session in which the player allowed the app. A code is void once it has ended.';
COMMENT ON COLUMN authorization_codes.client_id IS 'What the app calls itself. Only it can exchange the code.';
COMMENT ON COLUMN authorization_codes.redirect_uri IS 'Where the code was sent.';
COMMENT ON COLUMN authorization_codes.code_challenge IS 'SHA-256 of the code verifier (PKCE, S256).';
COMMENT ON COLUMN authorization_codes.scopes IS 'Bits: 1 read, 2 play, 4 account.';
COMMENT ON COLUMN authorization_codes.expires_at IS 'When it expires. Expired rows are deleted by the housekeeping.';
COMMENT ON COLUMN authorization_codes.token_id IS 'The token that it was exchanged for. A second exchange revokes that token.';
