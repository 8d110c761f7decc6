ALTER TABLE actions DROP CONSTRAINT actions_kind_check;
ALTER TABLE actions ADD CONSTRAINT actions_kind_check CHECK (kind IN ('a', 'j', 'l', 's', 'c', 'x')) NOT VALID;
ALTER TABLE match_states DROP COLUMN check_at, DROP COLUMN clocks;
ALTER TABLE challenges DROP COLUMN pace;
ALTER TABLE open_matches DROP COLUMN longest_turn;
ALTER TABLE wishes DROP COLUMN pace;
ALTER TABLE matches DROP COLUMN sandbox, DROP COLUMN pace;
