-- Codes that carry a log-in from one device to another.

CREATE TABLE transfer_codes (
    session_id uuid        CONSTRAINT transfer_codes_pkey PRIMARY KEY
                           CONSTRAINT transfer_codes_session_id_fkey REFERENCES sessions (id) ON DELETE CASCADE,
    hash       bytea       NOT NULL CONSTRAINT transfer_codes_hash_check CHECK (octet_length(hash) = 32),
    expires_at timestamptz NOT NULL,
    CONSTRAINT transfer_codes_hash_key UNIQUE (hash)
);
COMMENT ON TABLE transfer_codes IS 'Codes by which another device logs in, one a session. A row is deleted when its code is used.';
COMMENT ON COLUMN transfer_codes.session_id IS 'The session that created the code, which is void once the session has ended. A new code replaces it.';
COMMENT ON COLUMN transfer_codes.hash IS 'SHA-256 of the code.';
COMMENT ON COLUMN transfer_codes.expires_at IS 'Two minutes after the creation. Expired rows are deleted by the housekeeping.';
