-- Challenges for passkeys.
CREATE TABLE passkey_challenges (
    hash       bytea       CONSTRAINT passkey_challenges_pkey PRIMARY KEY
                           CONSTRAINT passkey_challenges_hash_check CHECK (octet_length(hash) = 32),
    session_id uuid        CONSTRAINT passkey_challenges_session_id_fkey REFERENCES sessions (id) ON DELETE CASCADE,
    state      jsonb       NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenges_session_id_idx ON passkey_challenges (session_id);
COMMENT ON TABLE passkey_challenges IS 'Challenges that browsers have yet to answer. Each is good for one answer.';
COMMENT ON COLUMN passkey_challenges.hash IS 'SHA-256 of the challenge.';
COMMENT ON COLUMN passkey_challenges.session_id IS 'The session that adds a passkey; null for a log-in.';
COMMENT ON COLUMN passkey_challenges.state IS 'What the answer is compared with, in the form of the crate webauthn-rs.';
COMMENT ON COLUMN passkey_challenges.expires_at IS 'When it expires. Expired rows are deleted by the housekeeping.';
