-- One table for the idempotency keys of all writes that have no entry in an action log. It replaces creation_keys, pairing_keys,
-- challenge_keys and the key columns of vacations, which stay until no instance of the release before runs. Until then triggers copy new
-- keys in both directions. The next migration copies the keys that exist.

CREATE TABLE idempotency_keys (
    account_id   uuid        NOT NULL CONSTRAINT idempotency_keys_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    kind         text        NOT NULL,
    key_hash     bigint      NOT NULL,
    fingerprint  integer     NOT NULL,
    at           timestamptz NOT NULL,
    entries      smallint    NOT NULL DEFAULT 0 CONSTRAINT idempotency_keys_entries_check CHECK (entries BETWEEN 0 AND 10),
    match_id     uuid        CONSTRAINT idempotency_keys_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    pairing_id   uuid        CONSTRAINT idempotency_keys_pairing_id_fkey REFERENCES pairings (id) ON DELETE CASCADE,
    challenge_id uuid        CONSTRAINT idempotency_keys_challenge_id_fkey REFERENCES challenges (id) ON DELETE CASCADE,
    vacation_id  uuid        CONSTRAINT idempotency_keys_vacation_id_fkey REFERENCES vacations (id) ON DELETE CASCADE,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, kind, key_hash),
    CONSTRAINT idempotency_keys_kind_check CHECK (CASE kind
        WHEN 'match' THEN match_id IS NOT NULL AND entries > 0
        WHEN 'pairing' THEN pairing_id IS NOT NULL
        WHEN 'challenge' THEN challenge_id IS NOT NULL
        WHEN 'vacation' THEN vacation_id IS NOT NULL
        ELSE false END),
    CONSTRAINT idempotency_keys_target_check CHECK (num_nonnulls(match_id, pairing_id, challenge_id, vacation_id) = 1)
);
-- For the deletion of what they refer to. Matches are not deleted.
CREATE INDEX idempotency_keys_pairing_id_idx ON idempotency_keys (pairing_id) WHERE pairing_id IS NOT NULL;
CREATE INDEX idempotency_keys_challenge_id_idx ON idempotency_keys (challenge_id) WHERE challenge_id IS NOT NULL;
CREATE INDEX idempotency_keys_vacation_id_idx ON idempotency_keys (vacation_id) WHERE vacation_id IS NOT NULL;
COMMENT ON TABLE idempotency_keys IS 'Idempotency keys of writes without an entry in an action log. The response is not stored: it is computed again.';
COMMENT ON COLUMN idempotency_keys.account_id IS 'The account that sent the key.';
COMMENT ON COLUMN idempotency_keys.kind IS 'What the write creates: match, pairing, challenge or vacation. The same key may be sent once for each.';
COMMENT ON COLUMN idempotency_keys.key_hash IS 'First 8 bytes of the SHA-256 of account and Idempotency-Key.';
COMMENT ON COLUMN idempotency_keys.fingerprint IS 'First 4 bytes of the SHA-256 of operation and body: the same key with another request is refused.';
COMMENT ON COLUMN idempotency_keys.at IS 'Time of the response. A repeated response omits later changes.';
COMMENT ON COLUMN idempotency_keys.entries IS 'Log entries written by the creation of a match, from version 1; 0 for other kinds.';
COMMENT ON COLUMN idempotency_keys.match_id IS 'The created match.';
COMMENT ON COLUMN idempotency_keys.pairing_id IS 'The matchmaking request that was created or found.';
COMMENT ON COLUMN idempotency_keys.challenge_id IS 'The challenge, or offer of a rematch, that was created or found.';
COMMENT ON COLUMN idempotency_keys.vacation_id IS 'The announced vacation.';

-- Keys stored by instances of the release before. The primary key decides between equal requests at old and new instances.
CREATE FUNCTION idempotency_keys_take() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'creation_keys' THEN
        INSERT INTO idempotency_keys (account_id, kind, key_hash, fingerprint, at, match_id, entries)
            SELECT NEW.account_id, 'match', NEW.key_hash, NEW.fingerprint, m.created_at, m.id, NEW.entries
            FROM matches m WHERE m.id = NEW.match_id;
    ELSIF TG_TABLE_NAME = 'pairing_keys' THEN
        INSERT INTO idempotency_keys (account_id, kind, key_hash, fingerprint, at, pairing_id)
            VALUES (NEW.account_id, 'pairing', NEW.key_hash, NEW.fingerprint, NEW.at, NEW.pairing_id);
    ELSIF TG_TABLE_NAME = 'challenge_keys' THEN
        INSERT INTO idempotency_keys (account_id, kind, key_hash, fingerprint, at, challenge_id)
            VALUES (NEW.account_id, 'challenge', NEW.key_hash, NEW.fingerprint, NEW.at, NEW.challenge_id);
    ELSE
        INSERT INTO idempotency_keys (account_id, kind, key_hash, fingerprint, at, vacation_id)
            VALUES (NEW.account_id, 'vacation', NEW.key_hash, NEW.fingerprint, NEW.announced_at, NEW.id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER idempotency_keys_take AFTER INSERT ON creation_keys
    FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION idempotency_keys_take();
CREATE TRIGGER idempotency_keys_take AFTER INSERT ON pairing_keys
    FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION idempotency_keys_take();
CREATE TRIGGER idempotency_keys_take AFTER INSERT ON challenge_keys
    FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION idempotency_keys_take();
CREATE TRIGGER idempotency_keys_take AFTER INSERT ON vacations
    FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND NEW.key_hash IS NOT NULL) EXECUTE FUNCTION idempotency_keys_take();

-- Keys for instances of the release before. Those that are copied from there are there already.
CREATE FUNCTION idempotency_keys_give() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.kind = 'match' THEN
        INSERT INTO creation_keys (account_id, key_hash, fingerprint, match_id, entries)
            VALUES (NEW.account_id, NEW.key_hash, NEW.fingerprint, NEW.match_id, NEW.entries) ON CONFLICT DO NOTHING;
    ELSIF NEW.kind = 'pairing' THEN
        INSERT INTO pairing_keys (account_id, key_hash, fingerprint, pairing_id, at)
            VALUES (NEW.account_id, NEW.key_hash, NEW.fingerprint, NEW.pairing_id, NEW.at) ON CONFLICT DO NOTHING;
    ELSIF NEW.kind = 'challenge' THEN
        INSERT INTO challenge_keys (account_id, key_hash, fingerprint, challenge_id, at)
            VALUES (NEW.account_id, NEW.key_hash, NEW.fingerprint, NEW.challenge_id, NEW.at) ON CONFLICT DO NOTHING;
    ELSE
        UPDATE vacations SET key_hash = NEW.key_hash, fingerprint = NEW.fingerprint
            WHERE id = NEW.vacation_id AND key_hash IS NULL;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER idempotency_keys_give AFTER INSERT ON idempotency_keys
    FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION idempotency_keys_give();
