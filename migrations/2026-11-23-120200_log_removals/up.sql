-- A new kind of log entry: the host removed a player before the start.
ALTER TABLE actions DROP CONSTRAINT actions_kind_check;
ALTER TABLE actions ADD CONSTRAINT actions_kind_check
    CHECK (kind IN ('a', 'j', 'l', 'k', 's', 'c', 'x', 'q', 'b', 'r', 'n', 't')) NOT VALID;
COMMENT ON COLUMN actions.kind IS
    'a: an action in play; before play j: joined, l: left, k: removed by the host, s: started, c: another code, x: no code; in play q: another calendar, b: a bot holds the seat, r: its owner has it back, n: nudged, t: the clock of a sandbox was moved.';
