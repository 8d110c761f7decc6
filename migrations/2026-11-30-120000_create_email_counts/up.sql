-- How many codes were sent by e-mail lately, by address, by account and in all. Apart from channels and deliveries, which
-- a player can delete.
CREATE TABLE email_counts (
    key     bytea         CONSTRAINT email_counts_pkey PRIMARY KEY
        CONSTRAINT email_counts_key_check CHECK (octet_length(key) = 32),
    tries   timestamptz[] NOT NULL,
    last_at timestamptz   NOT NULL
);
CREATE INDEX email_counts_last_at_idx ON email_counts (last_at);
COMMENT ON TABLE email_counts IS 'Codes sent by e-mail within the last day. Older rows are deleted by the housekeeping.';
COMMENT ON COLUMN email_counts.key IS 'SHA-256 of what is counted together: an address with the purpose of the code, the new addresses of an account, or all codes to new addresses.';
COMMENT ON COLUMN email_counts.tries IS 'When each was counted, no two at the same time.';
COMMENT ON COLUMN email_counts.last_at IS 'The newest that was counted.';
