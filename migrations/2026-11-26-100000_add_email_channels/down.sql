-- E-mail channels stay, unverified. The version before sends nothing to them.
ALTER TABLE channels
    DROP CONSTRAINT channels_verified_check,
    DROP CONSTRAINT channels_format_check,
    ADD CONSTRAINT channels_format_check CHECK (format IN ('web_push', 'standard', 'discord', 'slack', 'ntfy')) NOT VALID,
    DROP COLUMN digest_at,
    DROP COLUMN verified_at;
COMMENT ON COLUMN channels.format IS 'web_push, or the form of a webhook.';
COMMENT ON COLUMN channels.url IS 'Where it leads. As good as a secret: who knows it may be able to post there.';
COMMENT ON COLUMN channels.host IS 'Host and port of it.';
COMMENT ON COLUMN channels.kinds IS 'Bits: what it is told of. 1 your turn, 2 deadline near, 4 nudged, 8 invited, 16 round over, 32 match over.';
COMMENT ON COLUMN deliveries.kind IS 'your_turn, deadline_near, nudged, invited, round_over, match_over or test.';
