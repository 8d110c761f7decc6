CREATE TABLE email_codes (
    hash       bytea       CONSTRAINT email_codes_pkey PRIMARY KEY
                           CONSTRAINT email_codes_hash_check CHECK (octet_length(hash) = 32),
    channel_id uuid        NOT NULL CONSTRAINT email_codes_channel_id_fkey REFERENCES channels (id) ON DELETE CASCADE,
    purpose    text        NOT NULL CONSTRAINT email_codes_purpose_check CHECK (purpose IN ('verify_email', 'reset_password')),
    expires_at timestamptz NOT NULL
);
CREATE INDEX email_codes_channel_id_idx ON email_codes (channel_id);
COMMENT ON TABLE email_codes IS 'Codes sent by e-mail. Several may be valid, as an e-mail may arrive late.';
COMMENT ON COLUMN email_codes.hash IS 'SHA-256 of the code.';
COMMENT ON COLUMN email_codes.channel_id IS 'The e-mail channel to which the code was sent.';
COMMENT ON COLUMN email_codes.purpose IS 'verify_email: proves access to the mailbox. reset_password: sets a new password, once.';
COMMENT ON COLUMN email_codes.expires_at IS 'When it expires. Expired rows are deleted by the housekeeping.';
