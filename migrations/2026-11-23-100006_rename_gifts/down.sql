DROP VIEW gifts;
ALTER TABLE dedications RENAME TO gifts;
