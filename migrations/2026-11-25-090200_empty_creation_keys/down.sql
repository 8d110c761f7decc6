-- The keys are not restored: 1.0.0 reads `idempotency_keys`.
CREATE TRIGGER idempotency_keys_take AFTER INSERT ON creation_keys
    FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION idempotency_keys_take();
COMMENT ON TABLE creation_keys IS 'Matches by the key that their creator gave. The answer is not stored: the log makes it again, byte for byte.';
