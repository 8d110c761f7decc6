-- How the match stood when a round had ended and the next was dealt: a place to play the log again from. Rounds that ended before this
-- migration, or by an older instance, have none: the log is then played from an earlier round, or from its beginning.

ALTER TABLE rounds
    ADD COLUMN next_state  bytea,
    ADD COLUMN next_clocks text;
COMMENT ON COLUMN rounds.next_state IS
    'Position after last_version, with the next round dealt, as in match_states.state; null where the match is over, or was not stored.';
COMMENT ON COLUMN rounds.next_clocks IS 'Clocks after last_version, as in match_states.clocks.';
