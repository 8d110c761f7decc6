-- A history is walked by seats, newest first. What a filter asks of a match is beside the seat and in its index: it never changes. How it
-- ended is in the index of the tallies.

ALTER TABLE seats
    ADD COLUMN preset text,
    ADD COLUMN rated  boolean NOT NULL DEFAULT false,
    ADD COLUMN public boolean NOT NULL DEFAULT false;
-- It is made anew below, which is quicker than to keep it.
DROP INDEX seats_account_id_idx;
UPDATE seats s SET preset = m.preset, rated = m.rated, public = m.visibility = 'public' FROM matches m WHERE m.id = s.match_id;
COMMENT ON COLUMN seats.preset IS 'As in matches, for the index: who writes seats has not to think of it.';
COMMENT ON COLUMN seats.rated IS 'As in matches, likewise.';
COMMENT ON COLUMN seats.public IS 'Whether the match is public, likewise.';

-- Whoever writes, and with whatever path: a restore, too. Where the match is not there yet, as in a copy, what is written is right.
CREATE FUNCTION seats_describe() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    described record;
BEGIN
    SELECT m.preset, m.rated, m.visibility = 'public' AS public INTO described FROM matches m WHERE m.id = NEW.match_id;
    IF FOUND THEN
        NEW.preset := described.preset;
        NEW.rated := described.rated;
        NEW.public := described.public;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER seats_describe BEFORE INSERT ON seats FOR EACH ROW EXECUTE FUNCTION seats_describe();
-- Also where rows are copied with foreign keys off.
ALTER TABLE seats ENABLE ALWAYS TRIGGER seats_describe;

CREATE INDEX seats_account_id_idx ON seats (account_id, match_id) INCLUDE (preset, rated, public);
COMMENT ON INDEX seats_account_id_idx IS 'For histories, by whatever filter: it is read without the table.';
