-- A channel that a personal token makes ends with the token.
ALTER TABLE channels
    ADD COLUMN token_id uuid,
    ADD CONSTRAINT channels_token_id_fkey FOREIGN KEY (token_id) REFERENCES personal_tokens (id) ON DELETE CASCADE NOT VALID;
COMMENT ON COLUMN channels.token_id IS 'The personal token that made it, with which it ends; none if a session did.';
