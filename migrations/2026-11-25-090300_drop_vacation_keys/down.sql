-- The keys are not restored: 1.0.0 reads `idempotency_keys`.
ALTER TABLE vacations ADD COLUMN key_hash bigint, ADD COLUMN fingerprint integer;
ALTER TABLE vacations ADD CONSTRAINT vacations_key_check CHECK ((key_hash IS NULL) = (fingerprint IS NULL)) NOT VALID;
CREATE UNIQUE INDEX vacations_key_hash_key ON vacations (account_id, key_hash) WHERE key_hash IS NOT NULL;
COMMENT ON COLUMN vacations.key_hash IS 'First 8 bytes of the SHA-256 of account and Idempotency-Key.';
COMMENT ON COLUMN vacations.fingerprint IS 'First 4 bytes of the SHA-256 of operation and body.';
CREATE TRIGGER idempotency_keys_take AFTER INSERT ON vacations
    FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND NEW.key_hash IS NOT NULL) EXECUTE FUNCTION idempotency_keys_take();
