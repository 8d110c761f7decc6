ALTER TABLE matches DROP CONSTRAINT matches_settings;
UPDATE matches SET rules = k.rules, pace = k.pace FROM shared_settings k WHERE k.id = settings_id;
ALTER TABLE matches DROP COLUMN settings_id, ALTER COLUMN rules SET NOT NULL;
