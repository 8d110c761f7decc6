-- Events of challenges by account and time, so that a page of the account feed reads no more rows than it has. Written by triggers:
-- also for instances of the release before.
CREATE TABLE challenge_events (
    challenge_id uuid        NOT NULL,
    account_id   uuid        NOT NULL,
    number       smallint    NOT NULL CONSTRAINT challenge_events_number_check CHECK (number IN (1, 2)),
    at           timestamptz NOT NULL,
    CONSTRAINT challenge_events_pkey PRIMARY KEY (challenge_id, account_id, number),
    CONSTRAINT challenge_events_member_fkey FOREIGN KEY (challenge_id, account_id)
        REFERENCES challenge_members (challenge_id, account_id) ON DELETE CASCADE
);
CREATE INDEX challenge_events_account_id_idx ON challenge_events (account_id, at, challenge_id, number);
COMMENT ON TABLE challenge_events IS 'What the account feed says of challenges: that one was made, or ended without a match.';
COMMENT ON COLUMN challenge_events.challenge_id IS 'The challenge.';
COMMENT ON COLUMN challenge_events.account_id IS 'The member who is told.';
COMMENT ON COLUMN challenge_events.number IS '1: it was made; 2: it was declined or withdrawn.';
COMMENT ON COLUMN challenge_events.at IS 'created_at or ended_at of the challenge.';

CREATE FUNCTION challenge_events_begin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO challenge_events (challenge_id, account_id, number, at)
        SELECT NEW.challenge_id, NEW.account_id, 1, c.created_at FROM challenges c WHERE c.id = NEW.challenge_id;
    RETURN NULL;
END $$;
CREATE TRIGGER challenge_events_begin AFTER INSERT ON challenge_members
    FOR EACH ROW WHEN (NEW.place > 0) EXECUTE FUNCTION challenge_events_begin();
