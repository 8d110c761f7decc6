-- Codes that expire, and codes that are exchanged or revoked while a match waits. The rows of matches are not written again
-- for it: a code that takes the place of another has a row of its own, and there are few of them.

ALTER TABLE matches ADD COLUMN code_expires_at timestamptz;
COMMENT ON COLUMN matches.code IS 'Short code to share: who has it may look and join before the start, unless join_codes has a later one.';
COMMENT ON COLUMN matches.code_expires_at IS 'When the code no longer lets anybody in, if that was settled at the creation.';

CREATE TABLE join_codes (
    match_id   uuid        NOT NULL CONSTRAINT join_codes_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    version    integer     NOT NULL,
    code       text        NOT NULL,
    expires_at timestamptz,
    CONSTRAINT join_codes_pkey PRIMARY KEY (match_id, version)
);
CREATE INDEX join_codes_code_idx ON join_codes (code);
COMMENT ON TABLE join_codes IS 'Codes after the first. The newest of a match is the one that counts.';
COMMENT ON COLUMN join_codes.version IS 'Version of the match that the change made.';
COMMENT ON COLUMN join_codes.code IS 'The code; where it was revoked, the same as before.';
COMMENT ON COLUMN join_codes.expires_at IS 'When it no longer lets anybody in; where it was revoked, that moment.';

-- Not checked for what is there: it takes everything that the old one took.
ALTER TABLE actions DROP CONSTRAINT actions_kind_check;
ALTER TABLE actions ADD CONSTRAINT actions_kind_check CHECK (kind IN ('a', 'c', 'j', 'l', 's', 'x')) NOT VALID;
COMMENT ON COLUMN actions.kind IS 'a: an action in play; before play c: another code, j: joined, l: left, s: started, x: the code revoked.';
COMMENT ON COLUMN actions.detail IS 'a: the notation of the rules, section 12; c: the code, and where it expires the microsecond; j: the client seed.';

ALTER TABLE open_matches ADD COLUMN code_expires_at timestamptz;
COMMENT ON COLUMN open_matches.code_expires_at IS 'When the code no longer lets anybody in.';
