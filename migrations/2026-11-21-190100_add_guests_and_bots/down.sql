COMMENT ON TABLE accounts IS 'One row a person.';
COMMENT ON COLUMN accounts.username IS 'Name to log in with: 3 to 20 of a-z, 0-9 and underscore; never changes.';
COMMENT ON COLUMN accounts.password_hash IS 'PHC string of argon2id.';
DROP INDEX accounts_renamed_at_idx;
DROP INDEX accounts_guests_idx;
DROP INDEX accounts_owner_id_idx;
ALTER TABLE accounts
    DROP CONSTRAINT accounts_owner_check,
    DROP COLUMN renamed_at,
    DROP COLUMN owner_id,
    DROP COLUMN kind;
