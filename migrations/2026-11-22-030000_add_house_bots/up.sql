-- Bots that nobody owns: the service itself plays on their seats. Their rows are made when they are first needed.

ALTER TABLE accounts
    ADD COLUMN level text CONSTRAINT accounts_level_check CHECK (level IN ('easy', 'medium', 'hard')),
    ADD CONSTRAINT accounts_house_check CHECK (level IS NULL OR (kind = 'bot' AND owner_id IS NULL));
CREATE INDEX accounts_level_idx ON accounts (level, username) WHERE level IS NOT NULL;
COMMENT ON COLUMN accounts.level IS 'How well a bot of the house plays: easy, medium or hard; null for all others.';

-- A match may be created with bots in it, and their entries are part of the answer.
ALTER TABLE creation_keys
    ADD COLUMN entries smallint NOT NULL DEFAULT 1 CONSTRAINT creation_keys_entries_check CHECK (entries BETWEEN 1 AND 10);
COMMENT ON COLUMN creation_keys.entries IS 'Entries of the log that the creation made, from the first on.';
