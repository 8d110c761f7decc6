-- Copies the keys that were stored before the migration before this one, for a few accounts at a time.
DO $$
DECLARE
    -- Exclusive: the last account of the last batch.
    done uuid := '00000000-0000-0000-0000-000000000000';
    next uuid;
BEGIN
    LOOP
        SELECT max(b.id::text)::uuid INTO next FROM (SELECT id FROM accounts WHERE id > done ORDER BY id LIMIT 100) b;
        EXIT WHEN next IS NULL;
        PERFORM set_config('lock_timeout', '300ms', true);
        INSERT INTO idempotency_keys (account_id, kind, key_hash, fingerprint, at, match_id, entries)
            SELECT k.account_id, 'match', k.key_hash, k.fingerprint, m.created_at, m.id, k.entries
            FROM creation_keys k JOIN matches m ON m.id = k.match_id
            WHERE k.account_id > done AND k.account_id <= next ON CONFLICT DO NOTHING;
        INSERT INTO idempotency_keys (account_id, kind, key_hash, fingerprint, at, pairing_id)
            SELECT account_id, 'pairing', key_hash, fingerprint, at, pairing_id
            FROM pairing_keys WHERE account_id > done AND account_id <= next ON CONFLICT DO NOTHING;
        INSERT INTO idempotency_keys (account_id, kind, key_hash, fingerprint, at, challenge_id)
            SELECT account_id, 'challenge', key_hash, fingerprint, at, challenge_id
            FROM challenge_keys WHERE account_id > done AND account_id <= next ON CONFLICT DO NOTHING;
        INSERT INTO idempotency_keys (account_id, kind, key_hash, fingerprint, at, vacation_id)
            SELECT account_id, 'vacation', key_hash, fingerprint, announced_at, id
            FROM vacations WHERE account_id > done AND account_id <= next AND key_hash IS NOT NULL ON CONFLICT DO NOTHING;
        COMMIT;
        done := next;
    END LOOP;
END $$;
