-- Reports by players, and what moderators decide.
CREATE TABLE moderation_decisions (
    id           uuid        CONSTRAINT moderation_decisions_pkey PRIMARY KEY,
    account_id   uuid        NOT NULL CONSTRAINT moderation_decisions_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    kind         text        NOT NULL CONSTRAINT moderation_decisions_kind_check
                             CHECK (kind IN ('dismissal', 'warning', 'mute', 'suspension', 'dedication_removal', 'name_removal')),
    reason       text        NOT NULL CONSTRAINT moderation_decisions_reason_check CHECK (char_length(reason) <= 500),
    until        timestamptz,
    match_id     uuid        CONSTRAINT moderation_decisions_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    round        smallint,
    removed_text text,
    decided_at   timestamptz NOT NULL,
    moderator_id uuid        CONSTRAINT moderation_decisions_moderator_id_fkey REFERENCES accounts (id) ON DELETE SET NULL,
    undone_at    timestamptz
);
CREATE INDEX moderation_decisions_account_id_idx ON moderation_decisions (account_id, id);
COMMENT ON TABLE moderation_decisions IS 'What moderators have decided about accounts. Who decided is also in audit_entries.';
COMMENT ON COLUMN moderation_decisions.id IS 'UUIDv7.';
COMMENT ON COLUMN moderation_decisions.account_id IS 'The account that it is about.';
COMMENT ON COLUMN moderation_decisions.kind IS 'dismissal: nothing is done. The others are sanctions, which the account sees.';
COMMENT ON COLUMN moderation_decisions.reason IS 'Why. The account sees it, except of a dismissal. Empty where it has been deleted.';
COMMENT ON COLUMN moderation_decisions.until IS 'When a mute or a suspension ends by itself; null: never, or another kind.';
COMMENT ON COLUMN moderation_decisions.match_id IS 'The match of the report, if it was about one.';
COMMENT ON COLUMN moderation_decisions.round IS 'The round of the dedication, if the report was about one.';
COMMENT ON COLUMN moderation_decisions.removed_text IS 'The dedication or display name that was removed, for the undoing.';
COMMENT ON COLUMN moderation_decisions.decided_at IS 'When.';
COMMENT ON COLUMN moderation_decisions.moderator_id IS 'The moderator; null: an administrator at the command line.';
COMMENT ON COLUMN moderation_decisions.undone_at IS 'When it was undone.';

CREATE TABLE reports (
    id          uuid        CONSTRAINT reports_pkey PRIMARY KEY,
    reporter_id uuid        CONSTRAINT reports_reporter_id_fkey REFERENCES accounts (id) ON DELETE SET NULL,
    subject_id  uuid        NOT NULL CONSTRAINT reports_subject_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    about       text        NOT NULL CONSTRAINT reports_about_check CHECK (about IN ('player', 'name', 'dedication', 'match')),
    reason      text        NOT NULL,
    match_id    uuid        CONSTRAINT reports_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    round       smallint,
    comment     text        NOT NULL CONSTRAINT reports_comment_check CHECK (char_length(comment) <= 500),
    seen_text   text        NOT NULL,
    automatic   boolean     NOT NULL,
    created_at  timestamptz NOT NULL,
    closed_at   timestamptz,
    decision_id uuid        CONSTRAINT reports_decision_id_fkey REFERENCES moderation_decisions (id) ON DELETE SET NULL
);
-- A player has one open report about the same thing.
CREATE UNIQUE INDEX reports_open_key ON reports (subject_id, reason, about, reporter_id,
    coalesce(match_id, '00000000-0000-0000-0000-000000000000'), coalesce(round, 0)) WHERE closed_at IS NULL;
-- And so has the service.
CREATE UNIQUE INDEX reports_automatic_key ON reports (subject_id, reason) WHERE automatic AND closed_at IS NULL;
CREATE INDEX reports_queue_idx ON reports (id) WHERE closed_at IS NULL;
CREATE INDEX reports_reporter_id_idx ON reports (reporter_id, id);
CREATE INDEX reports_subject_id_idx ON reports (subject_id, id);
COMMENT ON TABLE reports IS 'What players report about others, for moderators.';
COMMENT ON COLUMN reports.id IS 'UUIDv7.';
COMMENT ON COLUMN reports.reporter_id IS 'Who reports; null: the service itself, or an account that is gone.';
COMMENT ON COLUMN reports.subject_id IS 'The account that it is about.';
COMMENT ON COLUMN reports.about IS 'What is reported: the player, the name, a dedication, or the play in a match.';
COMMENT ON COLUMN reports.reason IS 'Code of the reason, as offensive_name.';
COMMENT ON COLUMN reports.match_id IS 'The match, if it is about one.';
COMMENT ON COLUMN reports.round IS 'The round of the dedication, if it is about one.';
COMMENT ON COLUMN reports.comment IS 'Words of the reporter; empty without, or where an account of the two is gone.';
COMMENT ON COLUMN reports.seen_text IS 'The name or the dedication as it was then; empty where the account is gone.';
COMMENT ON COLUMN reports.automatic IS 'Whether the service made it.';
COMMENT ON COLUMN reports.created_at IS 'When.';
COMMENT ON COLUMN reports.closed_at IS 'When a moderator decided, or the account was deleted; null: it is in the queue.';
COMMENT ON COLUMN reports.decision_id IS 'What was decided.';

COMMENT ON TABLE audit_entries IS 'What administrators and moderators have done and looked at.';
COMMENT ON COLUMN audit_entries.by IS 'Who: the user of the operating system, the name given with --as, or moderator and the identifier of an account.';
COMMENT ON COLUMN audit_entries.subject_id IS 'The account, invitation, match or report. No name, so that nothing personal is left of accounts that are gone.';
