-- `idempotency_keys` has these keys. The table stays for one release: instances of 1.0.0 delete from it.
DROP TRIGGER idempotency_keys_take ON pairing_keys;
TRUNCATE pairing_keys;
COMMENT ON TABLE pairing_keys IS 'Empty. Instances of 1.0.0 delete from it; the next release drops it.';
