DROP TABLE reports;
DROP TABLE moderation_decisions;
COMMENT ON TABLE audit_entries IS 'What administrators have done and looked at on the command line.';
COMMENT ON COLUMN audit_entries.by IS 'Who: the user of the operating system, or the name given with --as.';
COMMENT ON COLUMN audit_entries.subject_id IS 'The account, the invitation or the match. No name, so that nothing personal is left of accounts that are gone.';
