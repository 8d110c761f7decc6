-- Secrets of webhooks that were replaced, and sign besides for a day: however often a rotation is repeated, that of the
-- receiver is among them. channels.previous_secret is still written, for instances of the release before.
CREATE TABLE rotated_secrets (
    channel_id  uuid        NOT NULL CONSTRAINT rotated_secrets_channel_id_fkey REFERENCES channels (id) ON DELETE CASCADE,
    secret      bytea       NOT NULL,
    signs_until timestamptz NOT NULL,
    CONSTRAINT rotated_secrets_pkey PRIMARY KEY (channel_id, secret)
);
COMMENT ON TABLE rotated_secrets IS 'Secrets of webhooks that were replaced within a day. Older rows are deleted by the cleanup of notifications.';
COMMENT ON COLUMN rotated_secrets.channel_id IS 'The webhook.';
COMMENT ON COLUMN rotated_secrets.secret IS 'The secret, 32 bytes.';
COMMENT ON COLUMN rotated_secrets.signs_until IS 'Until when it signs in addition to the current one.';
