DELETE FROM idempotency_keys WHERE kind IN ('channel', 'token');
ALTER TABLE idempotency_keys
    DROP CONSTRAINT idempotency_keys_kind_check,
    DROP CONSTRAINT idempotency_keys_target_check,
    DROP COLUMN channel_id,
    DROP COLUMN token_id,
    ADD CONSTRAINT idempotency_keys_kind_check CHECK (CASE kind
        WHEN 'match' THEN match_id IS NOT NULL AND entries > 0
        WHEN 'pairing' THEN pairing_id IS NOT NULL
        WHEN 'challenge' THEN challenge_id IS NOT NULL
        WHEN 'vacation' THEN vacation_id IS NOT NULL
        ELSE false END) NOT VALID,
    ADD CONSTRAINT idempotency_keys_target_check
        CHECK (num_nonnulls(match_id, pairing_id, challenge_id, vacation_id) = 1) NOT VALID;
COMMENT ON COLUMN idempotency_keys.kind IS 'What the write creates: match, pairing, challenge or vacation. The same key may be sent once for each.';
