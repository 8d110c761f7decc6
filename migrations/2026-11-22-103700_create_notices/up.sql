-- Notices: where players want to be told (channels), what they are told (deliveries: an outbox, and the log of it), how far
-- each match has been told of, and who has looked at a match of late.

CREATE TABLE channels (
    id              uuid        CONSTRAINT channels_pkey PRIMARY KEY,
    account_id      uuid        NOT NULL CONSTRAINT channels_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    session_id      uuid        CONSTRAINT channels_session_id_fkey REFERENCES sessions (id) ON DELETE CASCADE,
    format          text        NOT NULL
        CONSTRAINT channels_format_check CHECK (format IN ('web_push', 'standard', 'discord', 'slack', 'ntfy')),
    name            text        NOT NULL CONSTRAINT channels_name_check CHECK (char_length(name) BETWEEN 1 AND 60),
    url             text        NOT NULL CONSTRAINT channels_url_check CHECK (octet_length(url) <= 3000),
    host            text        NOT NULL,
    link            text        CONSTRAINT channels_link_check CHECK (octet_length(link) <= 1000),
    kinds           smallint    NOT NULL,
    immediate       boolean     NOT NULL,
    secret          bytea       NOT NULL,
    previous_secret bytea,
    previous_until  timestamptz,
    public_key      bytea,
    created_at      timestamptz NOT NULL,
    delivered_at    timestamptz,
    failing_since   timestamptz,
    ended_at        timestamptz,
    CONSTRAINT channels_push_check CHECK ((format = 'web_push') = (public_key IS NOT NULL)),
    CONSTRAINT channels_previous_check CHECK ((previous_secret IS NULL) = (previous_until IS NULL))
);
CREATE INDEX channels_account_id_idx ON channels (account_id);
CREATE INDEX channels_session_id_idx ON channels (session_id) WHERE session_id IS NOT NULL;
COMMENT ON TABLE channels IS 'Where an account wants to be told.';
COMMENT ON COLUMN channels.id IS 'UUIDv7.';
COMMENT ON COLUMN channels.account_id IS 'Whose it is.';
COMMENT ON COLUMN channels.session_id IS 'Of a web push: the log-in that made it, with which it ends.';
COMMENT ON COLUMN channels.format IS 'web_push, or the form of a webhook.';
COMMENT ON COLUMN channels.name IS 'What its owner calls it: 1 to 60 characters.';
COMMENT ON COLUMN channels.url IS 'Where it leads. As good as a secret: who knows it may be able to post there.';
COMMENT ON COLUMN channels.host IS 'Host and port of it.';
COMMENT ON COLUMN channels.link IS 'The page that a notice opens, {id} being the match or the challenge.';
COMMENT ON COLUMN channels.kinds IS 'Bits: what it is told of. 1 your turn, 2 deadline near, 4 nudged, 8 invited, 16 round over, 32 match over.';
COMMENT ON COLUMN channels.immediate IS 'Whether neither quiet hours nor a look hold a notice up.';
COMMENT ON COLUMN channels.secret IS 'Of a webhook: what signs, 32 bytes. Of a web push: the secret shared with the browser, 16 bytes.';
COMMENT ON COLUMN channels.previous_secret IS 'What signed before, and signs besides until previous_until.';
COMMENT ON COLUMN channels.previous_until IS 'When previous_secret signs no more.';
COMMENT ON COLUMN channels.public_key IS 'Of a web push: the browser''s key.';
COMMENT ON COLUMN channels.created_at IS 'When it was made: it is not told of what was before.';
COMMENT ON COLUMN channels.delivered_at IS 'Newest success.';
COMMENT ON COLUMN channels.failing_since IS 'First failure after that.';
COMMENT ON COLUMN channels.ended_at IS 'When the other side said that it is gone.';

CREATE TABLE deliveries (
    id           uuid        CONSTRAINT deliveries_pkey PRIMARY KEY,
    channel_id   uuid        NOT NULL CONSTRAINT deliveries_channel_id_fkey REFERENCES channels (id) ON DELETE CASCADE,
    account_id   uuid        NOT NULL,
    host         text        NOT NULL,
    kind         text        NOT NULL,
    event        text        NOT NULL,
    match_id     uuid,
    version      integer,
    challenge_id uuid,
    deadline     timestamptz,
    happened_at  timestamptz NOT NULL,
    due_at       timestamptz NOT NULL,
    lease        uuid,
    attempts     smallint    NOT NULL DEFAULT 0,
    tried_at     timestamptz,
    answer       smallint,
    failure      text,
    outcome      text        CONSTRAINT deliveries_outcome_check CHECK (outcome IN ('delivered', 'failed', 'dropped')),
    done_at      timestamptz,
    CONSTRAINT deliveries_done_check CHECK ((outcome IS NULL) = (done_at IS NULL))
);
CREATE UNIQUE INDEX deliveries_event_key ON deliveries (channel_id, event);
CREATE INDEX deliveries_log_idx ON deliveries (channel_id, id DESC);
-- By destination: who is slow holds nobody else up.
CREATE INDEX deliveries_due_idx ON deliveries (host, due_at) WHERE done_at IS NULL;
CREATE INDEX deliveries_done_at_idx ON deliveries (done_at) WHERE done_at IS NOT NULL;
COMMENT ON TABLE deliveries IS 'The outbox, a row for each notice and channel, and for a week after it is done the log. Rows are claimed for a minute at a time.';
COMMENT ON COLUMN deliveries.id IS 'UUIDv7; the receiver is told it each time that it is tried.';
COMMENT ON COLUMN deliveries.channel_id IS 'Where it goes.';
COMMENT ON COLUMN deliveries.account_id IS 'Whom it tells.';
COMMENT ON COLUMN deliveries.host IS 'As in channels.';
COMMENT ON COLUMN deliveries.kind IS 'your_turn, deadline_near, nudged, invited, round_over, match_over or test.';
COMMENT ON COLUMN deliveries.event IS 'What it tells: told once in a channel.';
COMMENT ON COLUMN deliveries.match_id IS 'The match.';
COMMENT ON COLUMN deliveries.version IS 'Version of the match at which it happened.';
COMMENT ON COLUMN deliveries.challenge_id IS 'The challenge.';
COMMENT ON COLUMN deliveries.deadline IS 'The deadline, where there is one.';
COMMENT ON COLUMN deliveries.happened_at IS 'When it happened.';
COMMENT ON COLUMN deliveries.due_at IS 'When it is tried next; while it is being tried, when somebody else may.';
COMMENT ON COLUMN deliveries.lease IS 'Who is trying it.';
COMMENT ON COLUMN deliveries.attempts IS 'How often it was tried.';
COMMENT ON COLUMN deliveries.tried_at IS 'When it was tried last.';
COMMENT ON COLUMN deliveries.answer IS 'The status that was answered last.';
COMMENT ON COLUMN deliveries.failure IS 'Why there was none; or why it was dropped.';
COMMENT ON COLUMN deliveries.outcome IS 'delivered, failed (given up), or dropped: no longer worth telling.';
COMMENT ON COLUMN deliveries.done_at IS 'When that was.';

-- Apart from match_states, which the announcer must not lock.
CREATE TABLE match_announcements (
    match_id   uuid     CONSTRAINT match_announcements_pkey PRIMARY KEY
        CONSTRAINT match_announcements_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    version    integer  NOT NULL,
    waiting_on smallint NOT NULL
) WITH (fillfactor = 60);
COMMENT ON TABLE match_announcements IS 'How far matches have been told of that run and have somebody to tell. Locked by whoever is at it.';
COMMENT ON COLUMN match_announcements.match_id IS 'The match.';
COMMENT ON COLUMN match_announcements.version IS 'Version up to which everything is in deliveries.';
COMMENT ON COLUMN match_announcements.waiting_on IS 'Whom the match waited for then, as in match_states.';

CREATE TABLE match_looks (
    account_id uuid        NOT NULL CONSTRAINT match_looks_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    match_id   uuid        NOT NULL CONSTRAINT match_looks_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    at         timestamptz NOT NULL,
    CONSTRAINT match_looks_pkey PRIMARY KEY (account_id, match_id)
) WITH (fillfactor = 60);
CREATE INDEX match_looks_match_id_idx ON match_looks (match_id);
COMMENT ON TABLE match_looks IS 'When players who have channels last looked at a match. Rows are deleted after a day.';
COMMENT ON COLUMN match_looks.account_id IS 'Who.';
COMMENT ON COLUMN match_looks.match_id IS 'At which match.';
COMMENT ON COLUMN match_looks.at IS 'The last look, some seconds later at most.';

CREATE TABLE notice_settings (
    account_id uuid     CONSTRAINT notice_settings_pkey PRIMARY KEY
        CONSTRAINT notice_settings_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    time_zone  text     NOT NULL,
    quiet_from smallint NOT NULL CONSTRAINT notice_settings_from_check CHECK (quiet_from BETWEEN 0 AND 1439),
    quiet_to   smallint NOT NULL CONSTRAINT notice_settings_to_check CHECK (quiet_to BETWEEN 0 AND 1439)
);
COMMENT ON TABLE notice_settings IS 'When an account does not want to be told. No row: whenever.';
COMMENT ON COLUMN notice_settings.account_id IS 'Whose.';
COMMENT ON COLUMN notice_settings.time_zone IS 'A name of the IANA time zone database.';
COMMENT ON COLUMN notice_settings.quiet_from IS 'Minute of the day at which it becomes quiet.';
COMMENT ON COLUMN notice_settings.quiet_to IS 'Minute of the day at which that ends, perhaps on the next.';
