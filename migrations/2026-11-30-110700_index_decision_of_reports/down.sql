DROP INDEX CONCURRENTLY IF EXISTS reports_decision_id_idx;
