-- An e-mail address that was replaced or removed can be taken back for some days.
ALTER TABLE channels
    DROP CONSTRAINT channels_format_check,
    ADD CONSTRAINT channels_format_check
        CHECK (format IN ('web_push', 'standard', 'discord', 'slack', 'ntfy', 'email', 'former_email')) NOT VALID;
COMMENT ON COLUMN channels.format IS 'web_push, email, or the format of a webhook; former_email: a verified address that was replaced or removed at ended_at, and can be taken back by a code for seven days.';
