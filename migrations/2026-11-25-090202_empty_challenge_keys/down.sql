-- The keys are not restored: 1.0.0 reads `idempotency_keys`.
CREATE TRIGGER idempotency_keys_take AFTER INSERT ON challenge_keys
    FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION idempotency_keys_take();
COMMENT ON TABLE challenge_keys IS 'Challenges and offers of rematches by the key that they came with. The answer is the challenge as it stood then.';
