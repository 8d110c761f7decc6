COMMENT ON COLUMN audit_entries.subject_id IS 'The account, the invitation or the match. No name, so that nothing personal is left of accounts that are gone.';
COMMENT ON COLUMN gifts.text IS '1 to 140 characters that are seen; empty where an administrator took it away, or who gave it has deleted their account.';
