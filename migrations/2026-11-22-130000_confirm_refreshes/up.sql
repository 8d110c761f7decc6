-- A salt is taken away as soon as the tokens that it made are in use: the token before is not answered again.
ALTER TABLE sessions DROP CONSTRAINT sessions_previous_check;
ALTER TABLE sessions ADD CONSTRAINT sessions_previous_check CHECK (salt IS NULL OR previous_hash IS NOT NULL);
COMMENT ON COLUMN sessions.rotated_at IS 'When the current secret was made: the one before is answered with it for ten seconds, in case the answer got lost.';
COMMENT ON COLUMN sessions.salt IS 'With the secret before it makes the current secret (HMAC-SHA256), so that a lost answer can be made again. Null before the first refresh, and once an access token of the newest refresh was used.';
COMMENT ON COLUMN personal_tokens.last_used_at IS 'Newest use, to the day (UTC); null before the first. Older rows have minutes.';
