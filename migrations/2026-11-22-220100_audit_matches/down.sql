COMMENT ON COLUMN audit_entries.subject_id IS 'The account or the invitation. No name, so that nothing personal is left of accounts that are gone.';
COMMENT ON COLUMN gifts.text IS '1 to 140 printable characters; empty where whoever gave it has deleted their account.';
