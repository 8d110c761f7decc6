-- An endpoint belongs to the newest log-in.
DELETE FROM channels old USING channels new
WHERE old.format = 'web_push' AND new.format = 'web_push' AND old.url = new.url AND old.id <> new.id
  AND (coalesce(old.session_id, old.id), old.id) < (coalesce(new.session_id, new.id), new.id);
CREATE UNIQUE INDEX channels_endpoint_key ON channels (url) WHERE format = 'web_push';
COMMENT ON INDEX channels_endpoint_key IS 'A browser''s endpoint belongs to one account.';
COMMENT ON COLUMN channels.session_id IS 'Of a web push: the session that sent it last. When that has ended, the channel no longer exists.';
COMMENT ON COLUMN channels.link IS 'The page that a notice opens: {kind} is the kind of notice, {id} the match or the challenge.';
