-- Players whom a host removed from a waiting match. The log of the match has the same; this table finds them by account.

CREATE TABLE removals (
    match_id   uuid        NOT NULL CONSTRAINT removals_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    version    integer     NOT NULL,
    account_id uuid        NOT NULL CONSTRAINT removals_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    removed_at timestamptz NOT NULL,
    code       text        NOT NULL,
    CONSTRAINT removals_pkey PRIMARY KEY (match_id, version)
);
CREATE INDEX removals_account_id_idx ON removals (account_id, removed_at);
COMMENT ON TABLE removals IS 'Players whom a host removed from a match before its start: they are told, and their code no longer admits them.';
COMMENT ON COLUMN removals.match_id IS 'The match.';
COMMENT ON COLUMN removals.version IS 'Version of the match after the removal.';
COMMENT ON COLUMN removals.account_id IS 'The removed player.';
COMMENT ON COLUMN removals.removed_at IS 'Time of the log entry.';
COMMENT ON COLUMN removals.code IS 'The join code at that time, which does not admit the player again.';
