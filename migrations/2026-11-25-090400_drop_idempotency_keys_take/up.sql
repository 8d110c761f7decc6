-- No trigger uses it any more.
DROP FUNCTION idempotency_keys_take;
