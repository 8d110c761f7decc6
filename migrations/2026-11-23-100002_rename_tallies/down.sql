DROP VIEW tallies;
ALTER TABLE match_player_stats RENAME TO tallies;
