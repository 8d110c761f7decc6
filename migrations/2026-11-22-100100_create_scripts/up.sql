CREATE TABLE scripts (
    match_id uuid     NOT NULL CONSTRAINT scripts_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    seat     smallint NOT NULL,
    actions  text     NOT NULL,
    CONSTRAINT scripts_pkey PRIMARY KEY (match_id, seat)
);
COMMENT ON TABLE scripts IS 'What bots in sandboxes are to do next, as their developer wrote it.';
COMMENT ON COLUMN scripts.match_id IS 'The sandbox.';
COMMENT ON COLUMN scripts.seat IS 'The seat of the bot.';
COMMENT ON COLUMN scripts.actions IS 'Actions in the notation of the rules, section 12, a line each; those that were done are taken out.';
