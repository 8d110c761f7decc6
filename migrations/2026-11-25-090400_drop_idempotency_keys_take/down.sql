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
