-- As challenge_events_begin.
CREATE FUNCTION challenge_events_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO challenge_events (challenge_id, account_id, number, at)
        SELECT m.challenge_id, m.account_id, 2, NEW.ended_at FROM challenge_members m WHERE m.challenge_id = NEW.id
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER challenge_events_end AFTER UPDATE OF outcome ON challenges
    FOR EACH ROW WHEN (OLD.outcome IS NULL AND NEW.outcome IN ('declined', 'withdrawn')) EXECUTE FUNCTION challenge_events_end();
