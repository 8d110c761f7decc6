-- `idempotency_keys` has these keys. Instances of 1.0.0 do not use the columns.
DROP TRIGGER idempotency_keys_take ON vacations;
ALTER TABLE vacations DROP COLUMN key_hash, DROP COLUMN fingerprint;
