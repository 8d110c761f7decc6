-- Quick pairing: who wishes for the same rules and number of players waits in a group; when a group is whole its match
-- is made, with nobody online. The row of the wish is the lock under which all of this is decided.

CREATE TABLE wishes (
    id     bytea    CONSTRAINT wishes_pkey PRIMARY KEY CONSTRAINT wishes_id_check CHECK (octet_length(id) = 16),
    size   smallint NOT NULL CONSTRAINT wishes_size_check CHECK (size BETWEEN 2 AND 10),
    preset text,
    rules  jsonb    NOT NULL
);
COMMENT ON TABLE wishes IS 'Rules and number of players that somebody has asked to be paired for. Locked by whoever asks or takes back.';
COMMENT ON COLUMN wishes.id IS 'First 16 bytes of the SHA-256 of size and rules: the same wish has the same row.';
COMMENT ON COLUMN wishes.size IS 'Players, 2 to 10.';
COMMENT ON COLUMN wishes.preset IS 'Name of the preset if the rules are exactly one.';
COMMENT ON COLUMN wishes.rules IS 'The complete rule set, as in matches.';

-- The secret of a match is drawn before its players ask, as it is drawn before they join where a match is created.
CREATE TABLE pairing_groups (
    match_id   uuid        CONSTRAINT pairing_groups_pkey PRIMARY KEY,
    wish_id    bytea       NOT NULL CONSTRAINT pairing_groups_wish_id_fkey REFERENCES wishes (id),
    secret     bytea       NOT NULL CONSTRAINT pairing_groups_secret_check CHECK (octet_length(secret) = 32),
    commitment text        NOT NULL CONSTRAINT pairing_groups_commitment_check CHECK (commitment ~ '^[0-9a-f]{64}$'),
    created_at timestamptz NOT NULL
);
CREATE INDEX pairing_groups_wish_id_idx ON pairing_groups (wish_id, match_id);
COMMENT ON TABLE pairing_groups IS 'Matches to be: a group goes when its match is made. One that everybody has left waits for others.';
COMMENT ON COLUMN pairing_groups.match_id IS 'Identifier that the match will have.';
COMMENT ON COLUMN pairing_groups.wish_id IS 'What everybody in it wishes for.';
COMMENT ON COLUMN pairing_groups.secret IS 'As matches.secret. Never leaves the server as such.';
COMMENT ON COLUMN pairing_groups.commitment IS 'As matches.commitment: shown to those who wait.';
COMMENT ON COLUMN pairing_groups.created_at IS 'When it was drawn.';

-- match_id has no foreign key: while somebody waits there is no such match yet.
CREATE TABLE pairings (
    id           uuid        CONSTRAINT pairings_pkey PRIMARY KEY,
    wish_id      bytea       NOT NULL CONSTRAINT pairings_wish_id_fkey REFERENCES wishes (id),
    account_id   uuid        NOT NULL CONSTRAINT pairings_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    match_id     uuid        NOT NULL,
    client_seed  text        NOT NULL CONSTRAINT pairings_client_seed_check CHECK (octet_length(client_seed) <= 64),
    commitment   text        NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    paired_at    timestamptz,
    withdrawn_at timestamptz
);
CREATE INDEX pairings_account_id_idx ON pairings (account_id);
CREATE UNIQUE INDEX pairings_waiting_key ON pairings (account_id, wish_id)
    WHERE paired_at IS NULL AND withdrawn_at IS NULL;
CREATE INDEX pairings_queue_idx ON pairings (wish_id, created_at, id)
    WHERE paired_at IS NULL AND withdrawn_at IS NULL;
COMMENT ON TABLE pairings IS 'Requests to be paired. An account has one that waits for a wish at most.';
COMMENT ON COLUMN pairings.id IS 'UUIDv7.';
COMMENT ON COLUMN pairings.wish_id IS 'What is asked for.';
COMMENT ON COLUMN pairings.account_id IS 'Who asks.';
COMMENT ON COLUMN pairings.match_id IS 'The match, once there is one; before, the group that the request waits in.';
COMMENT ON COLUMN pairings.client_seed IS 'The player''s part of every shuffle, as in seats.';
COMMENT ON COLUMN pairings.commitment IS 'That of the group.';
COMMENT ON COLUMN pairings.created_at IS 'When it was asked for.';
COMMENT ON COLUMN pairings.expires_at IS 'When it no longer counts, unless it has been paired.';
COMMENT ON COLUMN pairings.paired_at IS 'When the match was made.';
COMMENT ON COLUMN pairings.withdrawn_at IS 'When it was taken back; when it expired, as soon as somebody has noticed.';

CREATE TABLE pairing_keys (
    account_id  uuid        NOT NULL CONSTRAINT pairing_keys_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    key_hash    bigint      NOT NULL,
    fingerprint integer     NOT NULL,
    pairing_id  uuid        NOT NULL CONSTRAINT pairing_keys_pairing_id_fkey REFERENCES pairings (id) ON DELETE CASCADE,
    at          timestamptz NOT NULL,
    CONSTRAINT pairing_keys_pkey PRIMARY KEY (account_id, key_hash)
);
CREATE INDEX pairing_keys_pairing_id_idx ON pairing_keys (pairing_id);
COMMENT ON TABLE pairing_keys IS 'Requests to be paired by the key that they came with. The answer is the request as it stood then.';
COMMENT ON COLUMN pairing_keys.key_hash IS 'First 8 bytes of the SHA-256 of account and Idempotency-Key.';
COMMENT ON COLUMN pairing_keys.fingerprint IS 'First 4 bytes of the SHA-256 of operation and body.';
COMMENT ON COLUMN pairing_keys.pairing_id IS 'The request that was answered.';
COMMENT ON COLUMN pairing_keys.at IS 'When it was answered: what came later is not in the answer.';
