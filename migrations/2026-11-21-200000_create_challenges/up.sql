-- Challenges: somebody asks others by name to play a match, or all players of one that is over to play another. When the
-- last has accepted, the match is made, with nobody online. The row of the challenge is the lock under which it is decided.

-- match_id has no foreign key: before everybody has accepted there is no such match.
CREATE TABLE challenges (
    id            uuid        CONSTRAINT challenges_pkey PRIMARY KEY,
    challenger_id uuid        NOT NULL CONSTRAINT challenges_challenger_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    match_id      uuid        NOT NULL,
    rematch_of    uuid        CONSTRAINT challenges_rematch_of_fkey REFERENCES matches (id) ON DELETE CASCADE,
    rules         jsonb       NOT NULL,
    preset        text,
    size          smallint    NOT NULL CONSTRAINT challenges_size_check CHECK (size BETWEEN 2 AND 10),
    seat_order    text        NOT NULL CONSTRAINT challenges_seat_order_check CHECK (seat_order IN ('joined', 'random')),
    secret        bytea       CONSTRAINT challenges_secret_check CHECK (octet_length(secret) = 32),
    commitment    text        NOT NULL CONSTRAINT challenges_commitment_check CHECK (commitment ~ '^[0-9a-f]{64}$'),
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    outcome       text        CONSTRAINT challenges_outcome_check CHECK (outcome IN ('accepted', 'declined', 'withdrawn')),
    ended_at      timestamptz,
    CONSTRAINT challenges_end_check CHECK ((outcome IS NULL) = (ended_at IS NULL) AND (outcome IS NULL) = (secret IS NOT NULL))
);
CREATE INDEX challenges_open_idx ON challenges (challenger_id, expires_at) WHERE outcome IS NULL;
CREATE INDEX challenges_rematch_of_idx ON challenges (rematch_of, id) WHERE rematch_of IS NOT NULL;
CREATE UNIQUE INDEX challenges_rematch_made_key ON challenges (rematch_of) WHERE outcome = 'accepted';
COMMENT ON TABLE challenges IS 'Matches to be, for people who are named. One that ended otherwise than by a match may be deleted after 30 days.';
COMMENT ON COLUMN challenges.id IS 'UUIDv7.';
COMMENT ON COLUMN challenges.challenger_id IS 'Who made it.';
COMMENT ON COLUMN challenges.match_id IS 'Identifier that the match will have, or has.';
COMMENT ON COLUMN challenges.rematch_of IS 'The match that is over, if this is the offer to play another one.';
COMMENT ON COLUMN challenges.rules IS 'The complete rule set, as in matches.';
COMMENT ON COLUMN challenges.preset IS 'Name of the preset if the rules are exactly one.';
COMMENT ON COLUMN challenges.size IS 'Players, as many as there are members.';
COMMENT ON COLUMN challenges.seat_order IS 'As in matches; joined: in the order of the members.';
COMMENT ON COLUMN challenges.secret IS 'As matches.secret, to which it goes. Never leaves the server as such; gone when the challenge has ended.';
COMMENT ON COLUMN challenges.commitment IS 'As matches.commitment: shown before anybody accepts.';
COMMENT ON COLUMN challenges.created_at IS 'When it was made.';
COMMENT ON COLUMN challenges.expires_at IS 'When it no longer counts, unless it has ended before.';
COMMENT ON COLUMN challenges.outcome IS 'How it ended. None while it is open, and if it expired.';
COMMENT ON COLUMN challenges.ended_at IS 'When it ended; if it expired, see expires_at.';

CREATE TABLE challenge_members (
    challenge_id uuid     NOT NULL CONSTRAINT challenge_members_challenge_id_fkey REFERENCES challenges (id) ON DELETE CASCADE,
    account_id   uuid     NOT NULL CONSTRAINT challenge_members_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    place        smallint NOT NULL CONSTRAINT challenge_members_place_check CHECK (place BETWEEN 0 AND 9),
    client_seed  text     NOT NULL CONSTRAINT challenge_members_client_seed_check CHECK (octet_length(client_seed) <= 64),
    accepted_at  timestamptz,
    declined_at  timestamptz,
    reason       text,
    CONSTRAINT challenge_members_pkey PRIMARY KEY (challenge_id, account_id),
    CONSTRAINT challenge_members_reason_check CHECK ((declined_at IS NULL) = (reason IS NULL))
);
CREATE INDEX challenge_members_account_id_idx ON challenge_members (account_id, challenge_id DESC);
COMMENT ON TABLE challenge_members IS 'Who is to play, the challenger included, and what they have said.';
COMMENT ON COLUMN challenge_members.challenge_id IS 'The challenge.';
COMMENT ON COLUMN challenge_members.account_id IS 'Who.';
COMMENT ON COLUMN challenge_members.place IS 'Order of joining: 0 is the challenger, then as they were named.';
COMMENT ON COLUMN challenge_members.client_seed IS 'The player''s part of every shuffle, as in seats; empty until it is given.';
COMMENT ON COLUMN challenge_members.accepted_at IS 'When they accepted; the challenger did so by making it.';
COMMENT ON COLUMN challenge_members.declined_at IS 'When they declined, perhaps after they had accepted.';
COMMENT ON COLUMN challenge_members.reason IS 'Why they declined: a word of the API.';

CREATE TABLE challenge_keys (
    account_id   uuid        NOT NULL CONSTRAINT challenge_keys_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    key_hash     bigint      NOT NULL,
    fingerprint  integer     NOT NULL,
    challenge_id uuid        NOT NULL CONSTRAINT challenge_keys_challenge_id_fkey REFERENCES challenges (id) ON DELETE CASCADE,
    at           timestamptz NOT NULL,
    CONSTRAINT challenge_keys_pkey PRIMARY KEY (account_id, key_hash)
);
CREATE INDEX challenge_keys_challenge_id_idx ON challenge_keys (challenge_id);
COMMENT ON TABLE challenge_keys IS 'Challenges and offers of rematches by the key that they came with. The answer is the challenge as it stood then.';
COMMENT ON COLUMN challenge_keys.key_hash IS 'First 8 bytes of the SHA-256 of account and Idempotency-Key.';
COMMENT ON COLUMN challenge_keys.fingerprint IS 'First 4 bytes of the SHA-256 of operation and body.';
COMMENT ON COLUMN challenge_keys.challenge_id IS 'The challenge that was answered.';
COMMENT ON COLUMN challenge_keys.at IS 'When it was answered: what came later is not in the answer.';
