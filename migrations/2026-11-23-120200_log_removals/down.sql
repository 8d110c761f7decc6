-- For the release before, a removed player has left.
UPDATE actions SET kind = 'l' WHERE kind = 'k';
ALTER TABLE actions DROP CONSTRAINT actions_kind_check;
ALTER TABLE actions ADD CONSTRAINT actions_kind_check
    CHECK (kind IN ('a', 'j', 'l', 's', 'c', 'x', 'q', 'b', 'r', 'n', 't')) NOT VALID;
COMMENT ON COLUMN actions.kind IS
    'a: an action in play; before play j: joined, l: left, s: started, c: another code, x: no code; in play q: another calendar, b: a bot holds the seat, r: its owner has it back, n: nudged, t: the clock of a sandbox was moved.';
