ALTER TABLE creation_keys DROP COLUMN entries;
DROP INDEX accounts_level_idx;
ALTER TABLE accounts DROP CONSTRAINT accounts_house_check, DROP COLUMN level;
