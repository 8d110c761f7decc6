ALTER TABLE accounts
    DROP CONSTRAINT accounts_level_check,
    ADD CONSTRAINT accounts_level_check CHECK (level IN ('easy', 'medium', 'hard', 'expert')) NOT VALID;
COMMENT ON COLUMN accounts.level IS 'Level of a house bot: easy, medium, hard or expert; null for all others.';
