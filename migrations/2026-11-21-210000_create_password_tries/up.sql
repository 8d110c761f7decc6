-- How often passwords were tried lately. Counted before a password is looked at, in a transaction of its own.

CREATE TABLE password_tries (
    key     bytea         CONSTRAINT password_tries_pkey PRIMARY KEY
        CONSTRAINT password_tries_key_check CHECK (octet_length(key) = 32),
    tries   timestamptz[] NOT NULL CONSTRAINT password_tries_tries_check CHECK (cardinality(tries) <= 20),
    last_at timestamptz   NOT NULL
);
CREATE INDEX password_tries_last_at_idx ON password_tries (last_at);
COMMENT ON TABLE password_tries IS 'Wrong passwords of the last quarter of an hour, and those that are being looked at. Older rows are deleted.';
COMMENT ON COLUMN password_tries.key IS 'SHA-256 of what is counted together: a name, whether there is such an account or not, or a device that is known.';
COMMENT ON COLUMN password_tries.tries IS 'When each was counted, no two at the same time; a right password is taken out again.';
COMMENT ON COLUMN password_tries.last_at IS 'The newest that was counted.';
