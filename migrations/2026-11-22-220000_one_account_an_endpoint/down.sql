DROP INDEX channels_endpoint_key;
COMMENT ON COLUMN channels.session_id IS 'Of a web push: the log-in that made it, with which it ends.';
COMMENT ON COLUMN channels.link IS 'The page that a notice opens, {id} being the match or the challenge.';
