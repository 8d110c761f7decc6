-- Public matches: whoever looks for one finds those that wait for players. Rows of match_states are updated with every
-- action and must stay HOT, and those of matches are not written again for a seat: what is open has small rows of its own,
-- only as long as it waits.

ALTER TABLE matches ADD COLUMN visibility text NOT NULL DEFAULT 'private'
    CONSTRAINT matches_visibility_check CHECK (visibility IN ('private', 'public'));
COMMENT ON COLUMN matches.visibility IS 'public: in the list of open matches while it waits; private: found by its code only.';

CREATE TABLE open_matches (
    match_id uuid     CONSTRAINT open_matches_pkey PRIMARY KEY
        CONSTRAINT open_matches_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    code     text     NOT NULL,
    preset   text,
    size     smallint NOT NULL,
    free     smallint NOT NULL
);
CREATE INDEX open_matches_free_idx ON open_matches (match_id DESC) WHERE free > 0;
COMMENT ON TABLE open_matches IS 'Public matches that wait for players; the row goes with the start or with the last player.';
COMMENT ON COLUMN open_matches.match_id IS 'The match; newer ones have greater identifiers.';
COMMENT ON COLUMN open_matches.code IS 'Code to join by.';
COMMENT ON COLUMN open_matches.preset IS 'As in matches.';
COMMENT ON COLUMN open_matches.size IS 'As in matches.';
COMMENT ON COLUMN open_matches.free IS 'Seats that nobody has.';
