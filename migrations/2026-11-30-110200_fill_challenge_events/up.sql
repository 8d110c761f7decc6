-- The events of challenges that were there before the triggers.
DO $$
DECLARE
    -- Exclusive: the end of the last batch.
    done uuid := '00000000-0000-0000-0000-000000000000';
    next uuid;
BEGIN
    LOOP
        SELECT max(b.id::text)::uuid INTO next FROM (SELECT id FROM challenges WHERE id > done ORDER BY id LIMIT 500) b;
        EXIT WHEN next IS NULL;
        PERFORM set_config('lock_timeout', '300ms', true);
        INSERT INTO challenge_events (challenge_id, account_id, number, at)
            SELECT m.challenge_id, m.account_id, e.number, e.at FROM challenges c
            JOIN challenge_members m ON m.challenge_id = c.id
            CROSS JOIN LATERAL (VALUES (1, c.created_at), (2, c.ended_at)) e (number, at)
            WHERE c.id > done AND c.id <= next
            AND CASE e.number WHEN 1 THEN m.place > 0 ELSE c.outcome IN ('declined', 'withdrawn') END
            ON CONFLICT DO NOTHING;
        COMMIT;
        done := next;
    END LOOP;
END $$;
