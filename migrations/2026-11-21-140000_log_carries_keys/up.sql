-- An action is one row of the log and one update of the state, and nothing else: the entry carries its idempotency
-- key, so that no other table has to be written, indexed and pruned. What is wide or said elsewhere goes: whoever acts
-- in play is said by the seat. Keys that were given before are forgotten.

ALTER TABLE actions RENAME TO actions_before;
ALTER TABLE actions_before RENAME CONSTRAINT actions_pkey TO actions_before_pkey;

-- No foreign key: an entry is only ever written together with its state, which has one, and a check of each row would
-- cost as much as the row. Whoever deletes a match deletes its log first. Wide columns first, so that none is padded.
CREATE TABLE actions (
    match_id    uuid        NOT NULL,
    at          timestamptz NOT NULL,
    key_hash    bigint,
    fingerprint integer,
    version     integer     NOT NULL,
    round       smallint    NOT NULL DEFAULT 0,
    flags       smallint    NOT NULL DEFAULT 0,
    seat        smallint,
    kind        "char"      NOT NULL CONSTRAINT actions_kind_check CHECK (kind IN ('a', 'j', 'l', 's')),
    account_id  uuid,
    detail      text        NOT NULL DEFAULT '',
    drew        bytea,
    CONSTRAINT actions_pkey PRIMARY KEY (match_id, version),
    CONSTRAINT actions_who_check CHECK ((seat IS NULL) <> (account_id IS NULL))
);
INSERT INTO actions (match_id, at, version, round, flags, seat, kind, account_id, detail, drew)
    SELECT match_id, at, version, round, flags, seat, left(kind, 1)::"char",
           CASE WHEN seat IS NULL THEN account_id END, detail, drew
    FROM actions_before;
DROP TABLE actions_before;
COMMENT ON TABLE actions IS 'The log: append-only, versions 1, 2, 3 … without a gap. With matches.secret it determines everything else.';
COMMENT ON COLUMN actions.at IS 'When it was accepted, by the database''s clock.';
COMMENT ON COLUMN actions.key_hash IS 'First 8 bytes of the SHA-256 of account and Idempotency-Key; all entries of a write have it.';
COMMENT ON COLUMN actions.fingerprint IS 'First 4 bytes of the SHA-256 of operation, match and body: the same key with another request is refused.';
COMMENT ON COLUMN actions.round IS 'Round that the action belongs to; 0 before play.';
COMMENT ON COLUMN actions.flags IS 'Bits: 1 the stock was refilled, 2 the action ended the round, 4 it ended the match; from 256 on what followed a call.';
COMMENT ON COLUMN actions.seat IS 'Who did it in play; null before play.';
COMMENT ON COLUMN actions.kind IS 'a: an action in play; before play j: joined, l: left, s: started.';
COMMENT ON COLUMN actions.account_id IS 'Who did it before play; null in play.';
COMMENT ON COLUMN actions.detail IS 'a: the notation of the rules, section 12; j: the client seed.';
COMMENT ON COLUMN actions.drew IS 'Cards drawn from the stock, a byte each: the index in canonical order. Hidden from others until the round ends.';

-- A match that is created has no log yet to carry the key.
DROP TABLE idempotency_keys;
CREATE TABLE creation_keys (
    account_id  uuid    NOT NULL CONSTRAINT creation_keys_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    key_hash    bigint  NOT NULL,
    fingerprint integer NOT NULL,
    match_id    uuid    NOT NULL CONSTRAINT creation_keys_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    CONSTRAINT creation_keys_pkey PRIMARY KEY (account_id, key_hash)
);
COMMENT ON TABLE creation_keys IS 'Matches by the key that their creator gave. The answer is not stored: the log makes it again, byte for byte.';
COMMENT ON COLUMN creation_keys.key_hash IS 'First 8 bytes of the SHA-256 of account and Idempotency-Key.';
COMMENT ON COLUMN creation_keys.fingerprint IS 'First 4 bytes of the SHA-256 of operation and body.';
COMMENT ON COLUMN creation_keys.match_id IS 'Match that was created.';

-- With the version it says whether a match is as it was: a dedication changes views, but has no version.
ALTER TABLE match_states ADD COLUMN gifts smallint NOT NULL DEFAULT 0;
UPDATE match_states SET gifts = (SELECT count(*) FROM gifts WHERE gifts.match_id = match_states.match_id);
COMMENT ON COLUMN match_states.gifts IS 'Number of dedications so far.';

-- The result is read whole or not at all: as text it takes half the space.
ALTER TABLE rounds ALTER COLUMN result TYPE json;
