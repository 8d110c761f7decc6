-- Copied new keys to the tables of 0.1.0.
DROP TRIGGER idempotency_keys_give ON idempotency_keys;
DROP FUNCTION idempotency_keys_give;
