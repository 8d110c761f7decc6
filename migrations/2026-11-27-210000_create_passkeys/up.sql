-- Passkeys of accounts.
CREATE TABLE passkeys (
    id            uuid        CONSTRAINT passkeys_pkey PRIMARY KEY,
    account_id    uuid        NOT NULL CONSTRAINT passkeys_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    credential_id bytea       NOT NULL CONSTRAINT passkeys_credential_id_key UNIQUE
                              CONSTRAINT passkeys_credential_id_check CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
    credential    jsonb       NOT NULL,
    name          text        NOT NULL CONSTRAINT passkeys_name_check CHECK (char_length(name) BETWEEN 1 AND 60),
    created_at    timestamptz NOT NULL,
    last_used_at  timestamptz
);
CREATE INDEX passkeys_account_id_idx ON passkeys (account_id);
COMMENT ON TABLE passkeys IS 'Passkeys (WebAuthn), with which players log in.';
COMMENT ON COLUMN passkeys.id IS 'UUIDv7.';
COMMENT ON COLUMN passkeys.account_id IS 'The account.';
COMMENT ON COLUMN passkeys.credential_id IS 'Identifier of the credential, chosen by the authenticator.';
COMMENT ON COLUMN passkeys.credential IS 'Public key, signature counter and flags, in the form of the crate webauthn-rs.';
COMMENT ON COLUMN passkeys.name IS 'Name given by the owner.';
COMMENT ON COLUMN passkeys.created_at IS 'When it was added.';
COMMENT ON COLUMN passkeys.last_used_at IS 'Newest log-in; null before the first.';
