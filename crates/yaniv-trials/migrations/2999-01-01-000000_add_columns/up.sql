-- Like the migration of a release: columns of tables that are in use.
ALTER TABLE matches ADD COLUMN trial text;
ALTER TABLE seats ADD COLUMN trial text;
