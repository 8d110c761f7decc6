-- An archived match refers to its settings. An instance of 1.0.0 does not read archived matches.
ALTER TABLE matches ADD COLUMN settings_id uuid, ALTER COLUMN rules DROP NOT NULL,
    ADD CONSTRAINT matches_settings_id_fkey FOREIGN KEY (settings_id) REFERENCES shared_settings (id) NOT VALID,
    ADD CONSTRAINT matches_settings CHECK (num_nonnulls(rules, settings_id) = 1) NOT VALID;
COMMENT ON COLUMN matches.settings_id IS 'Rules and time control of an archived match, which then are null here.';
