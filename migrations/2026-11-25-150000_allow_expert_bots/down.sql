-- Bots of level expert stay. The version before does not play for them: their seats get the safe turn at the deadline.
ALTER TABLE accounts
    DROP CONSTRAINT accounts_level_check,
    ADD CONSTRAINT accounts_level_check CHECK (level IN ('easy', 'medium', 'hard')) NOT VALID;
COMMENT ON COLUMN accounts.level IS 'How well a bot of the house plays: easy, medium or hard; null for all others.';
