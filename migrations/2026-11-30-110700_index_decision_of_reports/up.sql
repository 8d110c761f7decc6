-- A decision that is deleted is removed from its reports.
CREATE INDEX CONCURRENTLY IF NOT EXISTS reports_decision_id_idx ON reports (decision_id) WHERE decision_id IS NOT NULL;
