-- What a release might bring: columns of tables that everybody plays on.
ALTER TABLE matches ADD COLUMN trial text;
ALTER TABLE seats ADD COLUMN trial text;
