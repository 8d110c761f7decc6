DELETE FROM email_codes WHERE purpose = 'email_removed';
ALTER TABLE email_codes
    DROP CONSTRAINT email_codes_purpose_check,
    ADD CONSTRAINT email_codes_purpose_check CHECK (purpose IN ('verify_email', 'reset_password')) NOT VALID;
COMMENT ON COLUMN email_codes.purpose IS 'verify_email: proves access to the mailbox. reset_password: sets a new password, once.';
