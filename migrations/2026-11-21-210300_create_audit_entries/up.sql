-- What administrators have done and looked at. Rows are added, and never changed nor deleted.

CREATE TABLE audit_entries (
    id         uuid        CONSTRAINT audit_entries_pkey PRIMARY KEY,
    at         timestamptz NOT NULL,
    by         text        NOT NULL CONSTRAINT audit_entries_by_check CHECK (char_length(by) BETWEEN 1 AND 200),
    action     text        NOT NULL,
    subject_id uuid,
    reason     text        CONSTRAINT audit_entries_reason_check CHECK (char_length(reason) <= 500)
);
CREATE INDEX audit_entries_subject_id_idx ON audit_entries (subject_id, id);
COMMENT ON TABLE audit_entries IS 'What administrators have done and looked at on the command line.';
COMMENT ON COLUMN audit_entries.id IS 'UUIDv7.';
COMMENT ON COLUMN audit_entries.at IS 'When.';
COMMENT ON COLUMN audit_entries.by IS 'Who: the user of the operating system, or the name given with --as.';
COMMENT ON COLUMN audit_entries.action IS 'What: the command, as accounts.suspend.';
COMMENT ON COLUMN audit_entries.subject_id IS 'The account or the invitation. No name, so that nothing personal is left of accounts that are gone.';
COMMENT ON COLUMN audit_entries.reason IS 'Why, if it was said.';

CREATE FUNCTION audit_entries_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'entries of the audit log are never changed nor deleted';
END
$$;
CREATE TRIGGER audit_entries_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION audit_entries_keep();
