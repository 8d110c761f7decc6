ALTER TABLE personal_tokens DROP COLUMN issued_to;
COMMENT ON TABLE personal_tokens IS 'Tokens for bots and scripts. Rows that have ended or expired are deleted after a day.';
COMMENT ON COLUMN personal_tokens.name IS 'What its owner calls it: 1 to 60 characters.';
