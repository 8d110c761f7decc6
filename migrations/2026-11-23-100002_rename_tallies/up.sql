-- The table gets the name that the code uses. The view serves instances of the release before; it is dropped in a later release.
ALTER TABLE tallies RENAME TO match_player_stats;
CREATE VIEW tallies AS SELECT * FROM match_player_stats;
COMMENT ON VIEW tallies IS 'For instances of the release before.';
