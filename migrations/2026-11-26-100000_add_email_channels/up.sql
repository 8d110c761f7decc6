-- E-mail channels, and daily digests.
ALTER TABLE channels
    ADD COLUMN verified_at timestamptz,
    ADD COLUMN digest_at timestamptz,
    DROP CONSTRAINT channels_format_check,
    ADD CONSTRAINT channels_format_check
        CHECK (format IN ('web_push', 'standard', 'discord', 'slack', 'ntfy', 'email')) NOT VALID,
    ADD CONSTRAINT channels_verified_check CHECK (verified_at IS NULL OR format = 'email') NOT VALID;
COMMENT ON COLUMN channels.format IS 'web_push, email, or the format of a webhook.';
COMMENT ON COLUMN channels.url IS 'Address of the push endpoint, the webhook or the mailbox. May be as secret as a password.';
COMMENT ON COLUMN channels.host IS 'Host and port of the address; domain of the mailbox.';
COMMENT ON COLUMN channels.kinds IS 'Bitmask of subscribed kinds: 1 your turn, 2 deadline near, 4 nudged, 8 invited, 16 round over, 32 match over, 64 digest.';
COMMENT ON COLUMN channels.verified_at IS 'When the owner proved access to the mailbox; e-mail only. Before, nothing but the code for it is sent.';
COMMENT ON COLUMN channels.digest_at IS 'Time of the next digest; null until it has been scheduled.';
COMMENT ON COLUMN deliveries.kind IS 'your_turn, deadline_near, nudged, invited, round_over, match_over, digest, test, verify_email, reset_password, new_device, new_app or password_changed.';
