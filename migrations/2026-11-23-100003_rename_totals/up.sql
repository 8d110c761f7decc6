-- The table gets the name that the code uses. The view serves instances of the release before; it is dropped in a later release.
ALTER TABLE totals RENAME TO player_stats;
CREATE VIEW totals AS SELECT * FROM player_stats;
COMMENT ON VIEW totals IS 'For instances of the release before.';
