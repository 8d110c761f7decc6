-- Clocks: what a match, a wish and a challenge say about time, and when a match has to be looked at next.

ALTER TABLE matches ADD COLUMN pace json;
COMMENT ON COLUMN matches.pace IS 'Clock and what is done for absent players, as its creator chose; null: no clock, as in matches from before there were any.';

ALTER TABLE matches ADD COLUMN sandbox boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN matches.sandbox IS 'A test match: its clock can be moved, and it counts for nothing.';

ALTER TABLE wishes ADD COLUMN pace json;
COMMENT ON COLUMN wishes.pace IS 'As in matches.';

ALTER TABLE open_matches ADD COLUMN longest_turn integer;
COMMENT ON COLUMN open_matches.longest_turn IS 'Seconds that a turn takes at most with the clock running; null: there is no clock.';

ALTER TABLE challenges ADD COLUMN pace json;
COMMENT ON COLUMN challenges.pace IS 'As in matches.';

-- The log determines both of these, too.
ALTER TABLE match_states ADD COLUMN check_at timestamptz, ADD COLUMN clocks text;
COMMENT ON COLUMN match_states.check_at IS
    'When to look whether something has to be done by itself; never later than it has to be. An action moves it only to a sooner time, so that updates stay HOT.';
COMMENT ON COLUMN match_states.clocks IS
    'The clocks as they stood before the newest action, and what that one did to them, which is to be counted with updated_at.';
CREATE INDEX match_states_check_at_idx ON match_states (check_at) WHERE check_at IS NOT NULL;
COMMENT ON TABLE match_states IS 'The one row that changes with every action. Nothing in it is indexed but the key and check_at, which seldom changes, so updates stay HOT.';

ALTER TABLE actions DROP CONSTRAINT actions_kind_check;
ALTER TABLE actions ADD CONSTRAINT actions_kind_check
    CHECK (kind IN ('a', 'j', 'l', 's', 'c', 'x', 'q', 'b', 'r', 'n', 't')) NOT VALID;
COMMENT ON COLUMN actions.kind IS
    'a: an action in play; before play j: joined, l: left, s: started, c: another code, x: no code; in play q: another calendar, b: a bot holds the seat, r: its owner has it back, n: nudged, t: the clock of a sandbox was moved.';
COMMENT ON COLUMN actions.flags IS
    'Bits: 1 the stock was refilled, 2 the action ended the round, 4 it ended the match, 8 played for somebody absent, 16 by a bot that holds the seat, 32 a standing order; from 256 on what followed a call.';
COMMENT ON COLUMN actions.detail IS
    'a: the notation of the rules, section 12; j: the client seed; s: the calendars of the players, if any; q: the calendar; n: the seats that were nudged; t: microseconds.';
