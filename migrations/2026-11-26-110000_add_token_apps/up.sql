-- Tokens that apps got by OAuth.
ALTER TABLE personal_tokens ADD COLUMN issued_to text;
COMMENT ON TABLE personal_tokens IS 'Tokens for bots, scripts and apps. Rows that have ended or expired are deleted after a day.';
COMMENT ON COLUMN personal_tokens.name IS 'What its owner calls it, or the client_id of the app: 1 to 60 characters.';
COMMENT ON COLUMN personal_tokens.issued_to IS 'Origin or scheme of the redirect URI of the app that got it by OAuth; null for a token created by its owner.';
