DROP VIEW totals;
ALTER TABLE player_stats RENAME TO totals;
