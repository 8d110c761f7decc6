-- Any other refresh token than the newest ends the session in either schema.
UPDATE sessions SET previous_hash = NULL WHERE salt IS NULL;
ALTER TABLE sessions DROP CONSTRAINT sessions_previous_check;
ALTER TABLE sessions ADD CONSTRAINT sessions_previous_check CHECK ((previous_hash IS NULL) = (salt IS NULL));
COMMENT ON COLUMN sessions.rotated_at IS 'When the current secret was made: the one before is answered with it for a minute, in case the answer got lost.';
COMMENT ON COLUMN sessions.salt IS 'With the secret before it makes the current secret (HMAC-SHA256), so that a lost answer can be made again.';
COMMENT ON COLUMN personal_tokens.last_used_at IS 'Newest use, to the minute; null before the first.';
