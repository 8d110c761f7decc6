COMMENT ON COLUMN accounts.renamed_at IS 'When the username was changed last: matches in memory that show the old one are forgotten.';
