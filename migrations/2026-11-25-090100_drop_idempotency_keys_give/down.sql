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
