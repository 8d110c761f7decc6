DROP TABLE rating_counts;
DROP TABLE ratings;
DROP TABLE rating_changes;
ALTER TABLE challenges DROP COLUMN rated;
ALTER TABLE open_matches DROP COLUMN rated;
ALTER TABLE wishes DROP COLUMN rated;
ALTER TABLE matches DROP COLUMN rated, DROP COLUMN rated_at;
