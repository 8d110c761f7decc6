-- The tables and columns of before have all keys.
DROP TRIGGER idempotency_keys_take ON creation_keys;
DROP TRIGGER idempotency_keys_take ON pairing_keys;
DROP TRIGGER idempotency_keys_take ON challenge_keys;
DROP TRIGGER idempotency_keys_take ON vacations;
DROP TABLE idempotency_keys;
DROP FUNCTION idempotency_keys_take;
DROP FUNCTION idempotency_keys_give;
