DROP INDEX seats_account_id_idx;
CREATE INDEX seats_account_id_idx ON seats (account_id, match_id);
DROP TRIGGER seats_describe ON seats;
DROP FUNCTION seats_describe();
ALTER TABLE seats DROP COLUMN preset, DROP COLUMN rated, DROP COLUMN public;
