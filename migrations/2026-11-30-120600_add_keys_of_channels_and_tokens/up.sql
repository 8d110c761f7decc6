-- Idempotency keys of webhooks and of personal tokens.
ALTER TABLE idempotency_keys
    ADD COLUMN channel_id uuid,
    ADD COLUMN token_id uuid,
    ADD CONSTRAINT idempotency_keys_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels (id) ON DELETE CASCADE NOT VALID,
    ADD CONSTRAINT idempotency_keys_token_id_fkey FOREIGN KEY (token_id) REFERENCES personal_tokens (id) ON DELETE CASCADE NOT VALID,
    DROP CONSTRAINT idempotency_keys_kind_check,
    ADD CONSTRAINT idempotency_keys_kind_check CHECK (CASE kind
        WHEN 'match' THEN match_id IS NOT NULL AND entries > 0
        WHEN 'pairing' THEN pairing_id IS NOT NULL
        WHEN 'challenge' THEN challenge_id IS NOT NULL
        WHEN 'vacation' THEN vacation_id IS NOT NULL
        WHEN 'channel' THEN channel_id IS NOT NULL
        WHEN 'token' THEN token_id IS NOT NULL
        ELSE false END) NOT VALID,
    DROP CONSTRAINT idempotency_keys_target_check,
    ADD CONSTRAINT idempotency_keys_target_check
        CHECK (num_nonnulls(match_id, pairing_id, challenge_id, vacation_id, channel_id, token_id) = 1) NOT VALID;
COMMENT ON COLUMN idempotency_keys.kind IS 'What the write creates: match, pairing, challenge, vacation, channel or token. The same key may be sent once for each.';
COMMENT ON COLUMN idempotency_keys.channel_id IS 'The created webhook.';
COMMENT ON COLUMN idempotency_keys.token_id IS 'The created personal token, of the account or of a bot of it. Its secret is computed from this identifier, the key and the seal.';
