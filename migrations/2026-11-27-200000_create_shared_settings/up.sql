-- Settings of archived matches, which most of them have in common.
CREATE TABLE shared_settings (
    id    uuid  CONSTRAINT shared_settings_pkey PRIMARY KEY,
    rules jsonb NOT NULL,
    pace  json
);
COMMENT ON TABLE shared_settings IS 'Rules and time control of archived matches, once for all that have the same. Rows are never deleted.';
COMMENT ON COLUMN shared_settings.id IS 'The first 128 bits of the SHA-256 of both as text.';
COMMENT ON COLUMN shared_settings.rules IS 'As matches.rules.';
COMMENT ON COLUMN shared_settings.pace IS 'As matches.pace.';
