DO $$
DECLARE
    done uuid := '00000000-0000-0000-0000-000000000000';
    next uuid;
BEGIN
    LOOP
        SELECT max(b.id::text)::uuid INTO next FROM (SELECT id FROM matches WHERE id > done ORDER BY id LIMIT 500) b;
        EXIT WHEN next IS NULL;
        PERFORM set_config('lock_timeout', '300ms', true);
        UPDATE seats s SET trial = m.code FROM matches m
            WHERE m.id = s.match_id AND s.match_id > done AND s.match_id <= next AND s.trial IS NULL;
        COMMIT;
        done := next;
    END LOOP;
END $$;
