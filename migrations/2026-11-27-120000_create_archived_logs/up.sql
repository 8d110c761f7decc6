-- Logs of matches that are over, a row each instead of one for each entry and round.
CREATE TABLE archived_logs (
    match_id uuid     CONSTRAINT archived_logs_pkey PRIMARY KEY
                      CONSTRAINT archived_logs_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    format   smallint NOT NULL,
    checksum integer  NOT NULL,
    packed   bytea    NOT NULL
);
-- It is compressed already.
ALTER TABLE archived_logs ALTER COLUMN packed SET STORAGE EXTERNAL;
COMMENT ON TABLE archived_logs IS 'Logs and finished rounds of matches that are over: what actions and rounds held before.';
COMMENT ON COLUMN archived_logs.match_id IS 'The match.';
COMMENT ON COLUMN archived_logs.format IS 'Format of packed, which says how to read it.';
COMMENT ON COLUMN archived_logs.checksum IS 'CRC-32 of packed.';
COMMENT ON COLUMN archived_logs.packed IS 'The log and the finished rounds.';
