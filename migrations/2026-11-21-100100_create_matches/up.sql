-- A match in five tables: what never changes (matches), what changes with every action (match_states, small
-- and HOT-updated), who takes part (seats), what happened (actions, append-only) and what came of it (rounds).
-- Every statement of an action carries match_id, so that the tables could be distributed by it.

CREATE TABLE matches (
    id          uuid        CONSTRAINT matches_pkey PRIMARY KEY,
    code        text        NOT NULL CONSTRAINT matches_code_key UNIQUE,
    rules       jsonb       NOT NULL,
    preset      text,
    size        smallint    NOT NULL CONSTRAINT matches_size_check CHECK (size BETWEEN 2 AND 10),
    seat_order  text        NOT NULL CONSTRAINT matches_seat_order_check CHECK (seat_order IN ('joined', 'random')),
    secret      bytea       NOT NULL CONSTRAINT matches_secret_check CHECK (octet_length(secret) = 32),
    commitment  text        NOT NULL CONSTRAINT matches_commitment_check CHECK (commitment ~ '^[0-9a-f]{64}$'),
    created_at  timestamptz NOT NULL DEFAULT now(),
    started_at  timestamptz,
    finished_at timestamptz
);
COMMENT ON TABLE matches IS 'What is settled when a match is created, and the moments it started and ended.';
COMMENT ON COLUMN matches.id IS 'UUIDv7; its printed form is part of every shuffle.';
COMMENT ON COLUMN matches.code IS 'Short code to share: who has it may look and join before the start.';
COMMENT ON COLUMN matches.rules IS 'The complete rule set, every option, in the file form of the rules (sections 3 and 12).';
COMMENT ON COLUMN matches.preset IS 'Name of the preset if the rules are exactly one.';
COMMENT ON COLUMN matches.size IS 'Seats, 2 to 10.';
COMMENT ON COLUMN matches.seat_order IS 'joined: seats in joining order; random: drawn at the start from the committed seed.';
COMMENT ON COLUMN matches.secret IS 's[1000] of the chain of seeds (rules, section 10). Never leaves the server as such.';
COMMENT ON COLUMN matches.commitment IS 's[0] in hexadecimal, a thousand hashes from the secret; kept because every view shows it.';
COMMENT ON COLUMN matches.created_at IS 'When it was created.';
COMMENT ON COLUMN matches.started_at IS 'When the first cards were dealt.';
COMMENT ON COLUMN matches.finished_at IS 'When it was won, or given up before the start.';

CREATE TABLE match_states (
    match_id   uuid        CONSTRAINT match_states_pkey PRIMARY KEY
        CONSTRAINT match_states_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    version    integer     NOT NULL,
    status     text        NOT NULL
        CONSTRAINT match_states_status_check CHECK (status IN ('waiting', 'running', 'finished', 'cancelled')),
    waiting_on smallint    NOT NULL DEFAULT 0,
    state      bytea,
    updated_at timestamptz NOT NULL
) WITH (fillfactor = 60);
COMMENT ON TABLE match_states IS 'The one row that changes with every action. Nothing in it is indexed but the key, so updates stay HOT.';
COMMENT ON COLUMN match_states.version IS 'Number of the newest action; the optimistic lock of every write.';
COMMENT ON COLUMN match_states.status IS 'waiting for players, running, finished, or cancelled before the start.';
COMMENT ON COLUMN match_states.waiting_on IS 'Bit n is set while seat n has to act.';
COMMENT ON COLUMN match_states.state IS 'The position in the compact form of the engine; null before the start.';
COMMENT ON COLUMN match_states.updated_at IS 'When the newest action was accepted.';

CREATE TABLE seats (
    match_id    uuid     NOT NULL CONSTRAINT seats_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    account_id  uuid     NOT NULL CONSTRAINT seats_account_id_fkey REFERENCES accounts (id),
    -- While players are awaited: the order of joining, which may have gaps after somebody left.
    seat        smallint NOT NULL,
    client_seed text     NOT NULL CONSTRAINT seats_client_seed_check CHECK (octet_length(client_seed) <= 64),
    CONSTRAINT seats_pkey PRIMARY KEY (match_id, account_id)
);
CREATE INDEX seats_account_id_idx ON seats (account_id, match_id);
COMMENT ON TABLE seats IS 'Who takes part. Being listed here is what opens a match to somebody.';
COMMENT ON COLUMN seats.seat IS 'Joining order before the start; the seat at the table, from 0, after it.';
COMMENT ON COLUMN seats.client_seed IS 'The player''s part of every shuffle: up to 64 printable ASCII characters without a comma.';

CREATE TABLE actions (
    match_id   uuid        NOT NULL CONSTRAINT actions_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    version    integer     NOT NULL,
    account_id uuid        NOT NULL,
    kind       text        NOT NULL
        CONSTRAINT actions_kind_check CHECK (kind IN ('joined', 'left', 'started', 'action')),
    round      smallint    NOT NULL DEFAULT 0,
    seat       smallint,
    detail     text        NOT NULL DEFAULT '',
    drew       bytea,
    flags      smallint    NOT NULL DEFAULT 0,
    at         timestamptz NOT NULL,
    CONSTRAINT actions_pkey PRIMARY KEY (match_id, version)
);
COMMENT ON TABLE actions IS 'The log: append-only, versions 1, 2, 3 … without a gap. With matches.secret it determines everything else.';
COMMENT ON COLUMN actions.account_id IS 'Who did it.';
COMMENT ON COLUMN actions.kind IS 'joined, left and started before play; action in play.';
COMMENT ON COLUMN actions.round IS 'Round that the action belongs to; 0 before play.';
COMMENT ON COLUMN actions.seat IS 'Seat of the player; null before play.';
COMMENT ON COLUMN actions.detail IS 'action: the notation of the rules, section 12; joined: the client seed.';
COMMENT ON COLUMN actions.drew IS 'Cards drawn from the stock, a byte each: the index in canonical order. Hidden from others until the round ends.';
COMMENT ON COLUMN actions.flags IS 'Bits: 1 the stock was refilled, 2 the action ended the round, 4 it ended the match; from 256 on what followed a call.';
COMMENT ON COLUMN actions.at IS 'When it was accepted, by the database''s clock.';

CREATE TABLE rounds (
    match_id     uuid        NOT NULL CONSTRAINT rounds_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    round        smallint    NOT NULL,
    starter      smallint    NOT NULL,
    last_version integer     NOT NULL,
    result       jsonb,
    ended_at     timestamptz NOT NULL,
    CONSTRAINT rounds_pkey PRIMARY KEY (match_id, round)
);
COMMENT ON TABLE rounds IS 'Rounds that are over, with everything open.';
COMMENT ON COLUMN rounds.starter IS 'Seat that played first.';
COMMENT ON COLUMN rounds.last_version IS 'Action that ended the round.';
COMMENT ON COLUMN rounds.result IS 'Result in the form of the record (rules, section 12); null for a round that ended unscored.';
COMMENT ON COLUMN rounds.ended_at IS 'When it ended.';

CREATE TABLE idempotency_keys (
    account_id  uuid        NOT NULL CONSTRAINT idempotency_keys_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    key         text        NOT NULL,
    fingerprint bytea       NOT NULL,
    match_id    uuid        NOT NULL,
    version     integer     NOT NULL,
    entries     smallint    NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, key)
);
COMMENT ON TABLE idempotency_keys IS 'Accepted writes by the key their client gave them. The answer is not stored: the log up to the version makes it again, byte for byte.';
COMMENT ON COLUMN idempotency_keys.key IS 'Idempotency-Key header, 16 to 64 characters.';
COMMENT ON COLUMN idempotency_keys.fingerprint IS 'First 16 bytes of the SHA-256 of operation, match and body: the same key with another request is refused.';
COMMENT ON COLUMN idempotency_keys.match_id IS 'Match that was changed.';
COMMENT ON COLUMN idempotency_keys.version IS 'Version that the write made.';
COMMENT ON COLUMN idempotency_keys.entries IS 'Entries of the log that the write made, the last of them at version: a play with its slam-down makes two.';
COMMENT ON COLUMN idempotency_keys.created_at IS 'When it was accepted.';

CREATE TABLE gifts (
    match_id      uuid        NOT NULL CONSTRAINT gifts_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    round         smallint    NOT NULL,
    seat          smallint    NOT NULL,
    text          text        NOT NULL CONSTRAINT gifts_text_check CHECK (char_length(text) BETWEEN 1 AND 140),
    after_version integer     NOT NULL,
    CONSTRAINT gifts_pkey PRIMARY KEY (match_id, round)
);
COMMENT ON TABLE gifts IS 'Dedications that dealers attached to turned-up cards. They are no actions and have no version.';
COMMENT ON COLUMN gifts.seat IS 'Seat that dealt the round.';
COMMENT ON COLUMN gifts.text IS '1 to 140 printable characters.';
COMMENT ON COLUMN gifts.after_version IS 'Version of the match when it was made: later answers show it, also when they are given again.';
