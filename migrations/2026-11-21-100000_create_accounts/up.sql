-- People, and the secret that signs their access tokens.

CREATE TABLE accounts (
    id            uuid        CONSTRAINT accounts_pkey PRIMARY KEY,
    -- Compared byte for byte: the pattern leaves no room for look-alikes.
    username      text        NOT NULL
        CONSTRAINT accounts_username_key UNIQUE
        CONSTRAINT accounts_username_check CHECK (username ~ '^[a-z0-9_]{3,20}$'),
    password_hash text        NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE accounts IS 'One row a person.';
COMMENT ON COLUMN accounts.id IS 'UUIDv7.';
COMMENT ON COLUMN accounts.username IS 'Name to log in with: 3 to 20 of a-z, 0-9 and underscore; never changes.';
COMMENT ON COLUMN accounts.password_hash IS 'PHC string of argon2id.';
COMMENT ON COLUMN accounts.created_at IS 'When the account was registered.';

-- A secret of the service's own, for an operator who configures none. It is in the database so that
-- several instances share it and a restart keeps everybody logged in.
CREATE TABLE server_secrets (
    name       text        CONSTRAINT server_secrets_pkey PRIMARY KEY,
    secret     bytea       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE server_secrets IS 'Secrets that the service drew for itself because none was configured.';
COMMENT ON COLUMN server_secrets.name IS 'What it is for: access_token.';
COMMENT ON COLUMN server_secrets.secret IS '32 random bytes.';
COMMENT ON COLUMN server_secrets.created_at IS 'When it was drawn.';
