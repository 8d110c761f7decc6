-- The logs are nowhere else.
DO $$ BEGIN
    IF EXISTS (SELECT FROM archived_logs) THEN
        RAISE EXCEPTION 'there are archived matches, which the previous release cannot read';
    END IF;
END $$;
ALTER TABLE matches DROP COLUMN archived_at;
