-- Matches show display names: a change of one is a change of name for the matches in memory.
COMMENT ON COLUMN accounts.renamed_at IS 'When the username or the display name was changed last: matches in memory that show the old one are forgotten.';
