COMMENT ON COLUMN accounts.language IS 'Language that they prefer: a tag after BCP 47.';
