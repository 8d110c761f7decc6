-- The reports of a match go with it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS reports_match_id_idx ON reports (match_id) WHERE match_id IS NOT NULL;
