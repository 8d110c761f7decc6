DELETE FROM channels WHERE format = 'former_email';
ALTER TABLE channels
    DROP CONSTRAINT channels_format_check,
    ADD CONSTRAINT channels_format_check
        CHECK (format IN ('web_push', 'standard', 'discord', 'slack', 'ntfy', 'email')) NOT VALID;
COMMENT ON COLUMN channels.format IS 'web_push, email, or the format of a webhook.';
