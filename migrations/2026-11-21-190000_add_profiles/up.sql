-- What people say of themselves besides the name that they log in with. Null is what nobody has said.

ALTER TABLE accounts
    ADD COLUMN display_name     text CONSTRAINT accounts_display_name_check CHECK (char_length(display_name) BETWEEN 1 AND 30),
    ADD COLUMN display_skeleton text CONSTRAINT accounts_display_skeleton_key UNIQUE,
    ADD COLUMN language         text CONSTRAINT accounts_language_check CHECK (char_length(language) BETWEEN 2 AND 35),
    ADD COLUMN time_zone        text CONSTRAINT accounts_time_zone_check CHECK (char_length(time_zone) BETWEEN 1 AND 64),
    ADD CONSTRAINT accounts_display_check CHECK ((display_name IS NULL) = (display_skeleton IS NULL));
-- Made by the database, so that whoever writes a name, an older instance for one, need not know of it. The same as the
-- program's, which a test compares, for the characters that a username has.
ALTER TABLE accounts ADD COLUMN username_skeleton text NOT NULL
    GENERATED ALWAYS AS (replace(translate(username, '01i', 'oll'), 'm', 'rn')) STORED;
CREATE INDEX accounts_username_skeleton_idx ON accounts (username_skeleton);
COMMENT ON COLUMN accounts.display_name IS 'Name as others are shown it beside the username: 1 to 30 characters of one script.';
COMMENT ON COLUMN accounts.display_skeleton IS 'What the display name looks like (UTS 39, without case): compared, never shown.';
COMMENT ON COLUMN accounts.language IS 'Language that they prefer: a tag after BCP 47.';
COMMENT ON COLUMN accounts.time_zone IS 'Where they live: a name of the IANA database.';
COMMENT ON COLUMN accounts.username_skeleton IS 'What the username looks like: no display name of another may look so.';
