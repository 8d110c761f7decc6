-- Log-ins that last: what a refresh token stands for, one row a device.

CREATE TABLE sessions (
    id            uuid        CONSTRAINT sessions_pkey PRIMARY KEY,
    account_id    uuid        NOT NULL CONSTRAINT sessions_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    created_at    timestamptz NOT NULL,
    last_used_at  timestamptz NOT NULL,
    rotated_at    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    ended_at      timestamptz,
    device        text        NOT NULL CONSTRAINT sessions_device_check CHECK (char_length(device) BETWEEN 1 AND 60),
    hash          bytea       NOT NULL CONSTRAINT sessions_hash_check CHECK (octet_length(hash) = 32),
    previous_hash bytea       CONSTRAINT sessions_previous_hash_check CHECK (octet_length(previous_hash) = 32),
    salt          bytea       CONSTRAINT sessions_salt_check CHECK (octet_length(salt) = 32),
    CONSTRAINT sessions_previous_check CHECK ((previous_hash IS NULL) = (salt IS NULL))
);
CREATE INDEX sessions_account_id_idx ON sessions (account_id, last_used_at);
-- Asked for twice a second by every instance.
CREATE INDEX sessions_ended_at_idx ON sessions (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX sessions_expires_at_idx ON sessions (expires_at) WHERE ended_at IS NULL;
COMMENT ON TABLE sessions IS 'Log-ins that last. Rows that have ended or expired are deleted after a day.';
COMMENT ON COLUMN sessions.id IS 'UUIDv7; in every access token of the session.';
COMMENT ON COLUMN sessions.created_at IS 'When somebody logged in.';
COMMENT ON COLUMN sessions.last_used_at IS 'The log-in or the newest refresh.';
COMMENT ON COLUMN sessions.rotated_at IS 'When the current secret was made: the one before is answered with it for a minute, in case the answer got lost.';
COMMENT ON COLUMN sessions.expires_at IS 'Sixty days after last_used_at.';
COMMENT ON COLUMN sessions.ended_at IS 'When it was ended by log-out, by its owner or because an old token was used.';
COMMENT ON COLUMN sessions.device IS 'Name that the client gave: 1 to 60 characters.';
COMMENT ON COLUMN sessions.hash IS 'SHA-256 of the secret in the current refresh token.';
COMMENT ON COLUMN sessions.previous_hash IS 'SHA-256 of the secret in the refresh token before it; null before the first refresh.';
COMMENT ON COLUMN sessions.salt IS 'With the secret before it makes the current secret (HMAC-SHA256), so that a lost answer can be made again.';
