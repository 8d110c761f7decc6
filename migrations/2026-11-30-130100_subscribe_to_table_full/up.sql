-- Channels that are told of turns, and e-mail addresses that are told of invitations, are told of full tables, too.
DO $$
DECLARE
    -- Exclusive: the end of the last batch.
    done uuid := '00000000-0000-0000-0000-000000000000';
    next uuid;
BEGIN
    LOOP
        SELECT max(b.id::text)::uuid INTO next FROM (SELECT id FROM channels WHERE id > done ORDER BY id LIMIT 500) b;
        EXIT WHEN next IS NULL;
        PERFORM set_config('lock_timeout', '300ms', true);
        UPDATE channels SET kinds = kinds | 128
            WHERE id > done AND id <= next AND kinds & 128 = 0 AND (kinds & 1 <> 0 OR format = 'email' AND kinds & 8 <> 0);
        COMMIT;
        done := next;
    END LOOP;
END $$;
