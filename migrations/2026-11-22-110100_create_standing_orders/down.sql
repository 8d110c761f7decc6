ALTER TABLE match_states DROP COLUMN ordered;
DROP TABLE standing_orders;
